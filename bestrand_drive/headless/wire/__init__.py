"""Bytes on the sockets: MessagePack-RPC, sensor streams, packed structs. Of a world it knows the plain types only."""
