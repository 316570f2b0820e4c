"""Models that methods of the field fit to full histories of the probes: histories, anchors, responses, networks."""
