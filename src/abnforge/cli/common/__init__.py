"""What commands share: options, inputs, validation, output, progress."""
