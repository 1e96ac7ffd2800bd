import "./schema-editor.css";

export { FieldsEditor as default } from "./fields-editor.tsx";
