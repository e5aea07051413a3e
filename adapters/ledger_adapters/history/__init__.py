"""Where code comes from, asked of the version control that a project uses."""
