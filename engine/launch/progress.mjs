/** `0.4 s`, `12 s`, `2 min 5 s` */
export function formatDuration(ms) {
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const NAME_WIDTH = 10;
const DETAIL_WIDTH = 52;

const line = (name, detail, time) => `  ${name.padEnd(NAME_WIDTH)} ${detail.padEnd(DETAIL_WIDTH)} ${time.padStart(8)}`;

/**
 * One phase of a start. On a terminal, its line counts the seconds; elsewhere, a long phase reports every 30 s, so that a build log does
 * not appear stuck. Each phase ends with one line.
 */
function startPhase(name, detail, out = process.stderr) {
  const startedMs = Date.now();
  const state = { detail };
  const live = out.isTTY === true;
  const elapsed = () => formatDuration(Date.now() - startedMs);
  const draw = () =>
    out.write(
      live ? `\r${line(name, state.detail.slice(0, DETAIL_WIDTH), elapsed())}\x1b[K` : `${line(name, `${state.detail} …`, elapsed())}\n`,
    );
  if (live) draw();
  const timer = setInterval(draw, live ? 1000 : 30_000);
  timer.unref();
  const end = (text) => {
    clearInterval(timer);
    out.write(`${live ? "\r\x1b[K" : ""}${line(name, text, elapsed())}\n`);
  };
  return {
    update(next) {
      state.detail = next;
      if (live) draw();
    },
    done(text = state.detail) {
      end(text);
    },
    failed() {
      end(`${state.detail}: failed`);
    },
  };
}

/** Runs `work` as one phase. A returned text becomes the finished line. */
export async function inPhase(name, detail, work, out = process.stderr) {
  const phase = startPhase(name, detail, out);
  try {
    const result = await work(phase);
    phase.done();
    return result;
  } catch (error) {
    phase.failed();
    throw error;
  }
}
