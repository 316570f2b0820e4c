"""What happens around the ego vehicle, one file a family of scenario types."""
