"""Code that commands share: options, inputs, validation, output, progress."""
