import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { shareGoCache } from "../../../test/support/engine/go-cache.ts";
import { lockOf, useBuilder } from "../build-fixture.ts";

// For a cold compiler on a shared machine; no test waits for a fixed time.
vi.setConfig({ testTimeout: 240_000 });

const builder = useBuilder();
beforeAll(() => shareGoCache(builder.workDir()));

describe("build of Go", () => {
  /** Runs the program like a runner. */
  const run = (dir: string, args: unknown, entrypoint?: string): unknown => JSON.parse(runText(dir, JSON.stringify(args), entrypoint));

  function runText(dir: string, args: string, entrypoint = "main"): string {
    writeFileSync(join(dir, "args.json"), args);
    const env = { SVC_ARGS_PATH: join(dir, "args.json"), SVC_ENTRYPOINT: entrypoint, RESULT: join(dir, "result") };
    execFileSync("/bin/sh", ["-c", 'exec "$0" 3>"$RESULT" >/dev/null', join(dir, "main")], { env });
    return readFileSync(join(dir, "result"), "utf8");
  }

  it("decodes arguments by name and calls any function", async () => {
    const source = `package inner

import (
	"errors"
	"fmt"
	"time"
)

type Row struct { Id int \`json:"id"\`; Name *string }
type NotFound struct{}
func (NotFound) Error() string { return "not there" }

func main(row Row, when time.Time, n, m int, all ...string) (map[string]any, error) {
	fmt.Println("to the log")
	if n == 1 { return nil, errors.New("one") }
	if n == 2 { return nil, NotFound{} }
	if n == 3 { var r *Row; r.Id = 1 }
	return map[string]any{"row": row, "year": when.Year(), "sum": n + m, "all": all}, nil
}
func nothing() {}
func text(x *string) string { return "<" + *x + ">" }
func generic[T any](x T) T { return x }
`;
    const { dir, result } = await builder.build("go", source);
    expect(result).toMatchObject({ ok: true, lock: "" });
    const args = { row: { id: 7, Name: "x" }, when: "2024-05-06T07:08:09Z", n: 4, m: 5, all: ["a", "b"], unknown: 1 };
    expect(run(dir, args)).toEqual({ ok: true, result: { row: { id: 7, Name: "x" }, year: 2024, sum: 9, all: ["a", "b"] } });
    expect(run(dir, {})).toMatchObject({ ok: true, result: { sum: 0 } });
    expect(run(dir, { n: 1 })).toMatchObject({ ok: false, error: { name: "Error", message: "one" } });
    expect(run(dir, { n: 2 })).toMatchObject({ ok: false, error: { name: "NotFound", message: "not there" } });
    const panic = {
      name: "Panic",
      message: expect.stringContaining("nil pointer"),
      stack: expect.stringContaining("at main (f/ops/hello.go:17)"),
    };
    expect(run(dir, { n: 3 })).toMatchObject({ ok: false, error: panic });
    expect(run(dir, { n: "x" })).toMatchObject({
      ok: false,
      error: { name: "ArgumentError", message: expect.stringContaining('The argument "n" does not fit the type int') },
    });
    expect(run(dir, {}, "nothing")).toEqual({ ok: true, result: null });
    expect(run(dir, { x: "&" }, "text")).toEqual({ ok: true, result: "<&>" });
    expect(run(dir, {}, "generic")).toMatchObject({ ok: false, error: { message: expect.stringContaining("no function generic") } });
  });

  it("replaces NaN and infinities with null, and shows the value of a panic", async () => {
    const source = `package inner

import (
	"encoding/json"
	"math"
)

type inner struct{ Deep float64 }
type Own struct{ x float64 }
func (own Own) MarshalJSON() ([]byte, error) { return json.Marshal(map[string]float64{"x": own.x}) }
type Row struct {
	inner
	Wide   float64  \`json:"wide"\`
	Narrow float32  \`json:"narrow,omitempty"\`
	Text   float64  \`json:",string"\`
	List   []float64
	Pair   [2]float64
	Map    map[string]any
	Next   *Row     \`json:",omitempty"\`
	own    float64
}

func main() any {
	nan, inf := math.NaN(), math.Inf(-1)
	list := []float64{1, nan}
	row := Row{inner{nan}, nan, float32(inf), inf, list, [2]float64{inf, 2.5}, map[string]any{"a": nan, "b": &list, "n": nil}, &Row{Wide: 1}, nan}
	return map[string]any{"row": row, "rows": []any{&row, nil}, "still": math.IsNaN(list[1])}
}
func plain() (float64, float32, error) { return math.Inf(1), float32(math.NaN()), nil }
func own() any { return []any{Own{math.NaN()}, math.NaN()} }
func cycle() any { var list []any; list = append(list, nil); list[0] = list; list = append(list, math.NaN()); return list }
func unsupported() any { return map[string]any{"f": func() {}} }
func numbers() any { return []any{int64(9007199254740993), uint64(18446744073709551615), json.Number("123456789012345678901234567890")} }
func panicCycle() { m := map[string]any{"code": 7, "reason": "lost"}; m["self"] = m; panic(m) }
func panicDeep() { var v any = "end"; for i := 0; i < 100000; i++ { v = []any{v} }; panic(v) }
func panicNil() { panic(nil) }
func panicPlain() { panic(Row{}) }
`;
    const { dir, result } = await builder.build("go", source);
    expect(result).toMatchObject({ ok: true });
    const row = {
      Deep: null,
      wide: null,
      narrow: null,
      Text: null,
      List: [1, null],
      Pair: [null, 2.5],
      Map: { a: null, b: [1, null], n: null },
    };
    const next = { Deep: 0, wide: 1, Text: "0", List: null, Pair: [0, 0], Map: null };
    const whole = { ...row, Next: next };
    expect(run(dir, {})).toEqual({ ok: true, result: { row: whole, rows: [whole, null], still: true } });
    expect(run(dir, {}, "plain")).toEqual({ ok: true, result: [null, null] });
    const failure = (message: string) => ({ ok: false, error: { message: expect.stringContaining(message) } });
    expect(run(dir, {}, "own")).toMatchObject(failure("unsupported value: NaN"));
    expect(run(dir, {}, "cycle")).toMatchObject(failure("the result cannot be converted to JSON"));
    expect(run(dir, {}, "unsupported")).toMatchObject(failure("unsupported type: func()"));
    expect(run(dir, {}, "panicCycle")).toMatchObject(failure("code:7 reason:lost self:[code:7"));
    expect(run(dir, {}, "panicDeep")).toMatchObject(failure("[[["));
    expect(run(dir, {}, "panicNil")).toMatchObject({ ok: false, error: { name: "Panic" } });
    expect(run(dir, {}, "panicPlain")).toMatchObject(failure("{"));
  });

  it("passes whole numbers of any size exactly, and other numbers as Go's floats", async () => {
    const source = `package inner

import (
	"encoding/json"
	"fmt"
	"math/big"
)

type Item struct {
	Id    int64
	More  any
	Maybe *any
	Deep  map[string][]any
}

func main(id int64, wide uint64, huge *big.Int, text json.Number, item Item, anything any) any {
	return []any{id, wide, huge, text, item, anything}
}
func kinds(anything map[string]any) any {
	kinds := map[string]string{}
	for name, value := range anything { kinds[name] = fmt.Sprintf("%T", value) }
	return kinds
}
`;
    const { dir, result } = await builder.build("go", source);
    expect(result).toMatchObject({ ok: true });
    const item = '{"Id":9007199254740993,"More":-9007199254740993,"Maybe":9007199254740995,"Deep":{"a":[1,1.5,9007199254740997]}}';
    const anything = '[9007199254740993,{"n":123456789012345678901234567890,"s":"9007199254740993"},7,0.1,true,null]';
    const values = ["9007199254740993", "18446744073709551615", "123456789012345678901234567890", "12345678901234567890.5", item, anything];
    const names = ["id", "wide", "huge", "text", "item", "anything"];
    const given = `{${names.map((name, index) => `"${name}":${values[index]}`).join()}}`;
    expect(runText(dir, given)).toBe(`{"ok":true,"result":[${values.join()}]}\n`);
    const mixed =
      '{"anything":{"small":7,"half":1.5,"edge":9007199254740992,"exponent":1e20,"large":9007199254740993,"text":"9007199254740993"}}';
    const kinds = { small: "float64", half: "float64", edge: "float64", exponent: "float64", large: "json.Number", text: "string" };
    expect(JSON.parse(runText(dir, mixed, "kinds"))).toEqual({ ok: true, result: kinds });
  });

  it("an argument that does not fit its type fails the run with its fault, and its value is not shown in full", async () => {
    const source = `package inner

import "time"

type Row struct { At time.Time }

func when(x time.Time) string { return x.UTC().Format(time.RFC3339) }
func maybe(x *time.Time) bool { return x == nil }
func bytes(x []byte) int { return len(x) }
func row(x Row) int { return x.At.Year() }
`;
    const { dir } = await builder.build("go", source);
    const good: [string, unknown, unknown][] = [
      ["when", "2026-01-02T03:04:05+01:00", "2026-01-02T02:04:05Z"],
      ["when", null, "0001-01-01T00:00:00Z"],
      ["maybe", null, true],
      ["maybe", "2026-01-02T03:04:05.123456789Z", false],
      ["bytes", "aGk=", 2],
      ["bytes", "", 0],
      ["row", { At: "2026-01-02T03:04:05Z" }, 2026],
    ];
    for (const [name, x, result] of good) expect(run(dir, { x }, name)).toEqual({ ok: true, result });
    const bad: [string, string, unknown, string][] = [
      ["when", "time.Time", "", 'parsing time ""'],
      ["when", "time.Time", "soon", 'parsing time "so…"'],
      ["when", "time.Time", "2026-02-30T00:00:00Z", "day out of range"],
      // The words depend on the version of Go.
      ["when", "time.Time", 5, ""],
      ["maybe", "*time.Time", "soon", 'parsing time "so…"'],
      ["bytes", "[]uint8", "aGk", "illegal base64 data at input byte 0"],
      ["bytes", "[]uint8", "secret-password!", "illegal base64 data at input byte 6"],
      ["row", "inner.Row", { At: "secret-password" }, 'parsing time "secret-…"'],
    ];
    for (const [name, type, x, fault] of bad) {
      const answer = run(dir, { x }, name);
      const message = expect.stringContaining(`The argument "x" does not fit the type ${type}: `);
      expect(answer).toMatchObject({ ok: false, error: { name: "ArgumentError", message } });
      expect(answer).toMatchObject({ error: { message: expect.stringContaining(fault) } });
      expect(JSON.stringify(answer)).not.toContain("secret-password");
    }
  });

  it("downloads modules, locks them, and uses the locked versions", async () => {
    const source =
      'package main\n\nimport "github.com/google/uuid"\n\n//require github.com/google/uuid v1.5.0\n\nfunc Main() int {\n\treturn len(uuid.NewString())\n}\n';
    const first = await builder.build("go", source);
    const lock = lockOf(first.result);
    expect(lock).toContain("github.com/google/uuid v1.5.0");
    expect(run(first.dir, {})).toEqual({ ok: true, result: 36 });
    const second = await builder.build("go", source, { lock });
    expect(second.result).toMatchObject({ ok: true, lock, sha256: first.result.ok && first.result.sha256 });
    const replaced = await builder.build("go", source, {
      lock: lock.replace("\n//go.sum", "\nreplace github.com/google/uuid => /etc\n//go.sum"),
    });
    expect(replaced.result).toMatchObject({ ok: false, error: expect.stringContaining("is not a valid module requirement") });
  });

  it.each([
    ["a type that does not fit", "package inner\n\nfunc main(x string) int {\n\treturn x\n}\n", "f/ops/hello.go:4:9: cannot use x"],
    ["a mistake", "package inner\n\nfunc main( {\n}\n", "f/ops/hello.go:3:"],
    ["no package", "func main() {}\n", 'begins with "package inner"'],
    ["an unknown module", 'package inner\n\nimport "host.invalid/x/y"\n\nfunc main() { y.Z() }\n', "host.invalid/x/y"],
  ])("reports the position of %s", async (_, source, error) => {
    const { result } = await builder.build("go", source);
    expect(result).toMatchObject({ ok: false, error: expect.stringContaining(error) });
  });
});
