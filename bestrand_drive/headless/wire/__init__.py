"""Bytes on the sockets: MessagePack-RPC, sensor streams, packed structs. Knows nothing of a world."""
