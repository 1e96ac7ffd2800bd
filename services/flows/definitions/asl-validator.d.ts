/** What is used of the package, which brings no types. */
declare module "asl-validator" {
  interface Found {
    isValid: boolean;
    errorsText(separator?: string): string;
  }
  export default function validate(definition: object): Found;
}
