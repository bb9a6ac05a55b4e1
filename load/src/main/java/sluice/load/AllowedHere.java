package sluice.load;

/** Marks a command's entry point, which alone may print: the list of forbidden calls passes it. */
@interface AllowedHere {}
