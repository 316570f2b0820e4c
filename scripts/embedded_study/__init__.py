"""The parts of study_embedded: driving, the table of results, and what it tells."""
