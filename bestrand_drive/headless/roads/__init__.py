"""OpenDRIVE built around routes whose town file is not at hand; plain geometry, no carla needed."""
