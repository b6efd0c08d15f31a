"""What the verbs of the command line share: options, inputs, judging, output, progress."""
