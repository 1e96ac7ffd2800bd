/*
 * Node has no prctl and cannot collect children that it did not start, and Lambda's runtime has no compiler. This addon is therefore built here, as
 * a shared library of 2.3 KB without any dependency. Its source in C:
 *
 *   napi_value napi_register_module_v1(napi_env env, napi_value exports) {
 *     prctl(PR_SET_DUMPABLE, 0);         // only root reads this process's memory, environment and descriptors
 *     prctl(PR_SET_CHILD_SUBREAPER, 1);  // an orphan among its descendants becomes its child
 *     napi_value made = NULL;
 *     napi_create_function(env, "reap", NAPI_AUTO_LENGTH, reap, NULL, &made);
 *     return made;
 *   }
 *   napi_value reap(napi_env env, napi_callback_info info) {
 *     size_t count = 1;
 *     napi_value arguments[1];
 *     int32_t id = 0;
 *     napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
 *     napi_get_value_int32(env, arguments[0], &id);
 *     if (id > 0) wait4(id, NULL, WNOHANG, NULL);
 *     return NULL;
 *   }
 */

/** The code of one processor: the two functions, then the text "reap". Functions of Node are called through the table at `TABLE`. */
interface Machine {
  /** Number of the processor in an ELF header. */
  id: number;
  /** The relocation that writes a symbol's address to the table. */
  relocation: number;
  code: string;
}

const machines: Record<string, Machine | undefined> = {
  x64: {
    id: 62,
    relocation: 6,
    code: `
      53 4883ec10 4889fb 48c744240800000000                 push rbx; sub rsp,16; mov rbx,rdi; mov [rsp+8],0
      bf04000000 31f6 31d2 4531d2 4531c0 b89d000000 0f05    prctl(4, 0, 0, 0, 0)
      bf24000000 be01000000 b89d000000 0f05                 prctl(36, 1, 0, 0, 0)
      4889df 488d3587000000 48c7c2ffffffff                  rdi=env; rsi="reap"; rdx=-1
      488d0d19000000 4531c0 4c8d4c2408 ff15a2030100         rcx=reap; r8=0; r9=rsp+8; call table[0]
      488b442408 4883c410 5b c3                             mov rax,[rsp+8]; add rsp,16; pop rbx; ret
      53 4883ec20 4889fb 48c7042401000000 c744241000000000  reap: push rbx; sub rsp,32; mov rbx,rdi; [rsp]=1; [rsp+16]=0
      4889e2 488d4c2408 4531c0 4531c9 ff1573030100          rdx=rsp; rcx=rsp+8; r8=0; r9=0; call table[1]
      4889df 488b742408 488d542410 ff1568030100             rdi=env; rsi=[rsp+8]; rdx=rsp+16; call table[2]
      8b7c2410 85ff 7e11                                    mov edi,[rsp+16]; test edi,edi; jle end
      31f6 ba01000000 4531d2 b83d000000 0f05                wait4(edi, 0, 1, 0)
      31c0 4883c420 5b c3                                   end: xor eax,eax; add rsp,32; pop rbx; ret
      7265617000`,
  },
  arm64: {
    id: 183,
    relocation: 1025,
    code: `
      fd7bbda9 fd030091 e00b00f9 ff0f00f9           stp x29,x30,[sp,-48]!; mov x29,sp; [sp+16]=x0; [sp+24]=0
      800080d2 010080d2 020080d2 030080d2 040080d2  x0=4; x1=0; x2=0; x3=0; x4=0
      e81480d2 010000d4                             prctl(4, 0, 0, 0, 0)
      800480d2 210080d2 010000d4                    prctl(36, 1, 0, 0, 0)
      e00b40f9 c1040010 02008092 03010010           x0=env; x1="reap"; x2=-1; x3=reap
      040080d2 e5630091 901d0858 00023fd6           x4=0; x5=sp+24; call table[0]
      e00f40f9 fd7bc3a8 c0035fd6                    ldr x0,[sp+24]; ldp x29,x30,[sp],48; ret
      fd7bbca9 fd030091 e00b00f9 290080d2 e90f00f9  reap: stp x29,x30,[sp,-64]!; mov x29,sp; [sp+16]=x0; [sp+24]=1
      ff2b00b9 e2630091 e3830091 040080d2 050080d2  [sp+40]=0; x2=sp+24; x3=sp+32; x4=0; x5=0
      f01b0858 00023fd6                             call table[1]
      e00b40f9 e11340f9 e2a30091 901b0858 00023fd6  x0=env; x1=[sp+32]; x2=sp+40; call table[2]
      e02b40b9 1f000071 cd000054                    ldr w0,[sp+40]; cmp w0,0; b.le end
      010080d2 220080d2 030080d2 882080d2 010000d4  wait4(w0, 0, 1, 0)
      000080d2 fd7bc4a8 c0035fd6                    end: x0=0; ldp x29,x30,[sp],64; ret
      7265617000`,
  },
};

/** Places in the file. The table and the dynamic section are in a second segment, which the loader may write. */
const [CODE, TABLE] = [0x400, 0x800];
/** The second segment is mapped here, so that it shares no page with the code, however large pages are. */
const SECOND = 0x10000;

const called = ["napi_create_function", "napi_get_cb_info", "napi_get_value_int32"];
const names = [...called, "napi_register_module_v1"];

/** Returns the bytes of the addon for a processor; `undefined` for others than x64 and arm64. */
export function buildKernelAddon(arch: string): Uint8Array | undefined {
  const machine = machines[arch];
  if (!machine) return undefined;
  // Each line is code, two spaces, and its meaning.
  const code = Buffer.from(
    machine.code
      .split("\n")
      .map((line) => line.trim().split("  ")[0])
      .join("")
      .replaceAll(" ", ""),
    "hex",
  );
  const strings = `\0${names.join("\0")}\0`;
  const symbols = 0x120;
  const text = symbols + 24 * (names.length + 1);
  const hash = (text + strings.length + 7) & ~7;
  const relocations = hash + 4 * (3 + names.length + 1);
  const dynamic = TABLE + 8 * called.length;
  const sections = [
    [4, hash], // DT_HASH
    [5, text], // DT_STRTAB
    [6, symbols], // DT_SYMTAB
    [10, strings.length], // DT_STRSZ
    [11, 24], // DT_SYMENT
    [7, relocations], // DT_RELA
    [8, 24 * called.length], // DT_RELASZ
    [9, 24], // DT_RELAENT
    [0, 0],
  ] as const;
  const size = dynamic + 16 * sections.length;
  const file = Buffer.alloc(size);
  const u16 = (at: number, value: number) => file.writeUInt16LE(value, at);
  const u32 = (at: number, value: number) => file.writeUInt32LE(value, at);
  const u64 = (at: number, value: number) => file.writeBigUInt64LE(BigInt(value), at);

  // ELF header: 64 bits, little endian, shared object.
  file.write("\x7fELF\x02\x01\x01", "latin1");
  u16(16, 3);
  u16(18, machine.id);
  u32(20, 1);
  u64(32, 64);
  u16(52, 64);
  u16(54, 56);
  const segment = (index: number, type: number, flags: number, [offset, address, bytes, align]: [number, number, number, number]) => {
    const at = 64 + 56 * index;
    u32(at, type);
    u32(at + 4, flags);
    for (const [position, value] of [offset, address, address, bytes, bytes, align].entries()) u64(at + 8 + 8 * position, value);
    u16(56, index + 1);
  };
  segment(0, 1, 5, [0, 0, CODE + code.length, SECOND]); // PT_LOAD, read and execute
  segment(1, 1, 6, [TABLE, SECOND + TABLE, size - TABLE, SECOND]); // PT_LOAD, read and write
  segment(2, 2, 6, [dynamic, SECOND + dynamic, size - dynamic, 8]); // PT_DYNAMIC
  segment(3, 0x6474e551, 6, [0, 0, 0, 16]); // PT_GNU_STACK without execution

  for (const [index, name] of names.entries()) {
    const at = symbols + 24 * (index + 1);
    u32(at, strings.indexOf(`\0${name}\0`) + 1);
    file[at + 4] = 0x12; // global function
    if (called.includes(name)) continue;
    u16(at + 6, 1); // defined in this file
    u64(at + 8, CODE);
    u64(at + 16, code.length);
  }
  file.write(strings, text, "latin1");
  // One bucket, whose chain contains every symbol: 4, 3, 2, 1.
  for (const [index, value] of [1, names.length + 1, names.length, 0, ...names.keys()].entries()) u32(hash + 4 * index, value);
  for (const index of called.keys()) {
    const at = relocations + 24 * index;
    u64(at, SECOND + TABLE + 8 * index);
    u32(at + 8, machine.relocation);
    u32(at + 12, index + 1);
  }
  code.copy(file, CODE);
  for (const [index, [tag, value]] of sections.entries()) {
    u64(dynamic + 16 * index, tag);
    u64(dynamic + 16 * index + 8, value);
  }
  return file;
}
