/** The endings of files with the values of a type of resources, such as `ini` or `tar.gz`. They become parts of file names on the machines of members. */
export const FORMAT_EXTENSION = /^[A-Za-z0-9]+(?:\.[A-Za-z0-9]+)*$/;
