"""How two policies differ on the whole benchmark, by the items of a suite that both were run on."""
