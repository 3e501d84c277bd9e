"""Who is who, who was there, and what was shown to somebody on purpose."""
