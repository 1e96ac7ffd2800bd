export const formText = {
  loading: "Loading…",
  json: "JSON",
  arguments: "Arguments",
  argumentsHelp: "All arguments as one JSON object.",
  none: "It takes no arguments.",
  resource: (type: string) => `A resource of the type ${type}.`,
  noResource: (type: string) => `You can read no resource of the type ${type}.`,
  storedFile: "The file is stored in the workspace. At most 4 MB.",
  tooLarge: "This file is too large. The maximum is 4 MB. Store larger files with the command line, and choose JSON to enter their key.",
  uploading: "Upload",
  stored: (key: string) => `Stored as ${key}`,
  removeFile: "Remove file",
} as const;
