"""abnforge: ABNF in, exact validators that explain themselves out."""
