"""Whether a suite still serves, and policies that are alike."""
