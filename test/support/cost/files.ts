import { strToU8, unzipSync, zipSync } from "fflate";
import { readBundleFiles } from "../../../core/builds/bundle.ts";
import { extractStream } from "../../../core/streams/stream-lines.ts";
import { fromArchive } from "../../../core/sync/archive.ts";
import { parseConfig } from "../../../core/sync/config/parse-config.ts";
import { parseFiles } from "../../../core/sync/files/parse-files.ts";
import { formatYaml, parseYaml } from "../../../core/sync/files/yaml.ts";
import { parseLockFile } from "../../../core/sync/metadata/lock-file.ts";
import { parseMail, toMailMessage } from "../../../services/triggers/receive/parse-mail.ts";
import { aTar } from "../../builders/tar.ts";
import { type CostCase, feed } from "./growth.ts";
import { type Build, between, mix, nest, numbered, repeat } from "./shapes.ts";

const MOST = 64 * 1024;

const yaml: Record<string, Build> = {
  names: numbered((at) => `k${at}: 1\n`),
  lists: repeat("- a\n"),
  "nested lists": repeat("- "),
  "nested lists in brackets": nest("[", "]"),
  "nested objects in brackets": nest("{a: ", "}", "1"),
  "names in brackets": between(
    "{",
    numbered((at) => `k${at}: 1, `),
    "}",
  ),
  "a long text": between('"', repeat("a "), '"'),
  "a block of text": between("a: |\n", repeat("  b\n")),
  "a folded text": between("a: >\n", repeat("  b\n")),
  "lines of a plain text": between("a: b\n", repeat("  c\n")),
  spaces: repeat(" "),
  "empty lines": repeat("\n"),
  comments: repeat("# a\n"),
  anchors: numbered((at) => `- &a${at} b\n`),
  aliases: between("a: &a b\nb:\n", repeat("- *a\n")),
  tags: repeat("!a "),
  "unknown tags": repeat("- !a b\n"),
  documents: repeat("---\n"),
  "question marks": repeat("? "),
  colons: repeat("a: "),
  quotes: repeat("'"),
  digits: between("a: ", repeat("1")),
  "a broken indentation": numbered((at) => `${" ".repeat(at % 50)}a:\n`),
};

const item = (at: number) => `f/a/b${at}`;
/** As many files as there are lines in a text of this size. */
const manyFiles = (size: number): Map<string, string> =>
  new Map(
    Array.from({ length: size / 64 }, (_, at): [string, string][] => [
      [`${item(at)}.ts`, "export function main() {}"],
      [`${item(at)}.script.yaml`, "summary: a\n"],
    ]).flat(),
  );
const manyEntries = (size: number): Map<string, string> =>
  new Map(
    Array.from({ length: size / 64 }, (_, at): [string, string][] => [
      [`${item(at)}.bun.ts`, ""],
      [`${item(at)}.script.json`, "{}"],
    ]).flat(),
  );

/** A tar archive of files, each with its own path. */
function tarOf(size: number, path: (at: number) => string, type = "0"): Uint8Array {
  return aTar(Array.from({ length: Math.ceil(size / 512) }, (_, at) => ({ path: path(at), type })));
}

const head = "From: a@b.example\r\nSubject: a\r\nMIME-Version: 1.0\r\n";
const mixed = `${head}Content-Type: multipart/mixed; boundary=cut\r\n\r\n`;
const mails: Record<string, Build> = {
  "a long line": between(`${head}\r\n`, repeat("a")),
  lines: between(`${head}\r\n`, repeat("a\r\n")),
  headers: between(
    "",
    numbered((at) => `k${at}: a\r\n`),
    "\r\n",
  ),
  "one header many times": between("", repeat("a: b\r\n"), "\r\n"),
  "a header on many lines": between("a: b\r\n", repeat(" c\r\n"), "\r\n"),
  "encoded words": between("Subject: ", repeat("=?utf-8?q?a?= "), "\r\n\r\n"),
  addresses: between("To: ", repeat("a@b.example, "), "\r\n\r\n"),
  "comments in an address": between("To: ", nest("(", ")"), "a@b.example\r\n\r\n"),
  "quotes in an address": between("To: ", repeat('"'), "\r\n\r\n"),
  groups: between("To: ", repeat("a: b;"), "\r\n\r\n"),
  parts: between(mixed, repeat("--cut\r\n\r\na\r\n"), "--cut--\r\n"),
  attachments: between(mixed, repeat("--cut\r\nContent-Disposition: attachment\r\n\r\na\r\n"), "--cut--\r\n"),
  dashes: between(mixed, repeat("-\r\n")),
  "nested parts": between(
    mixed,
    numbered((at) => `--cut\r\nContent-Type: multipart/mixed; boundary=b${at}\r\n\r\n`),
  ),
  "quoted printable": between(`${head}Content-Transfer-Encoding: quoted-printable\r\n\r\n`, repeat("=41")),
  "soft ends of lines": between(`${head}Content-Transfer-Encoding: quoted-printable\r\n\r\n`, repeat("=\r\n")),
  base64: between(`${head}Content-Transfer-Encoding: base64\r\n\r\n`, repeat("QUFB\r\n")),
  html: between(`${head}Content-Type: text/html\r\n\r\n`, repeat("<a>")),
  "unclosed html": between(`${head}Content-Type: text/html\r\n\r\n`, repeat("<")),
  entities: between(`${head}Content-Type: text/html\r\n\r\n`, repeat("&amp;")),
  "spaces in html": between(`${head}Content-Type: text/html\r\n\r\n`, repeat(" ")),
  comments: between(`${head}Content-Type: text/html\r\n\r\n`, repeat("<!--")),
  "a flowed text": between(`${head}Content-Type: text/plain; format=flowed\r\n\r\n`, repeat("> a \r\n")),
  "links in a text": between(`${head}\r\n`, repeat("http://a ")),
  parameters: between("Content-Type: text/plain", repeat("; a=b"), "\r\n\r\na"),
  "parameters in pieces": between(
    "Content-Type: text/plain",
    numbered((at) => `; a*${at}=b`),
    "\r\n\r\na",
  ),
};
const readMail = async (text: string) => {
  const raw = Buffer.from(text);
  const mail = await parseMail(raw);
  return typeof mail === "string" ? mail : toMailMessage("id", { mail, raw }, { localPart: "a", extraArgs: undefined });
};

/** Files and archives of workspaces, and mails. */
export const files: CostCase[] = [
  ...feed("a file of YAML", MOST, (text: string) => parseYaml("a.yaml", text), yaml),
  ...feed("a value as YAML", MOST / 4, (text: string) => formatYaml(JSON.parse(text)), {
    names: between(
      "{",
      numbered((at) => `"k${at}":1,`),
      '"a":1}',
    ),
    "one text": between('"', repeat("a\\n"), '"'),
    texts: between("[1", repeat(',"a b"'), "]"),
  }),
  ...feed("the configuration of a project", MOST, (text: string) => parseConfig("svc.yaml", text), {
    names: yaml["names"] as Build,
    lists: yaml["lists"] as Build,
  }),
  ...feed("the lock file of a project", MOST, parseLockFile, {
    hashes: between(
      "version: v2\nlocks:\n",
      numbered((at) => `  f/a/b${at}: abc\n`),
    ),
  }),
  ...feed(
    "the files of a project",
    MOST,
    (all: Map<string, string>) => parseFiles(all, { defaultTs: "bun", nonDottedPaths: false, fileTypes: {} }),
    { scripts: manyFiles },
  ),
  ...feed("the entries of an archive", MOST, (all: Map<string, string>) => fromArchive(all, { defaultTs: "bun" }), {
    scripts: manyEntries,
  }),
  ...feed("a zip archive", MOST, unzipSync, {
    "many files": (size) =>
      zipSync(Object.fromEntries(Array.from({ length: size / 64 }, (_, at) => [`f${at}`, strToU8("a")])), { level: 0 }),
    zeros: (size) => zipSync({ a: new Uint8Array(size * 16) }),
    "no archive": (size) => Buffer.alloc(size),
    "a broken directory": (size) => Buffer.from("PK\u0005\u0006".repeat(size / 4)),
  }),
  ...feed("a tar archive", 16 * MOST, (archive: Uint8Array) => readBundleFiles(archive, { tar: true }), {
    "many files": (size) => tarOf(size, (at) => `f${at}`),
    "deep paths": (size) => tarOf(size, (at) => `${"a/".repeat(40)}${at}`),
    "long paths": (size) => tarOf(size, () => "a", "L"),
    zeros: (size) => Buffer.alloc(size),
  }),
  ...feed("a mail", MOST, readMail, mails),
  ...feed("a stream in a log", MOST, (log: string) => extractStream(log, true), mix("WM_STREAM: ", "a", "\n", "\\n")),
];
