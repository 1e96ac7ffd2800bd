/** The part of the package that is used here; the package declares no types. */
declare module "asl-validator" {
  interface Found {
    isValid: boolean;
    errorsText(separator?: string): string;
  }
  export default function validate(definition: object): Found;
}
