"""OpenDRIVE towns: finding them, asking them about roads, and what stands beside the roads."""
