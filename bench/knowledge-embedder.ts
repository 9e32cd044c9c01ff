import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chunkText } from '@app/knowledge';
import { collectorOf } from '../apps/cli/src/supervisor/child-process.js';
import { freePort } from '../test/support/free-port.js';
import { cpuOfTrees } from './cpu.js';
import { documentsOfKinds, questionsOfKinds } from './knowledge-kinds.js';
import { certificateIn, duringCalls, type LoadResult } from './voice-load.js';
import type { VoiceServers } from './voice-server.js';
import { quantile, row, showRows } from './voice.js';

const ASKED = 300;
/** Between two questions: an agent asks when a person has spoken. */
const PAUSE_MS = 20;
const PASSAGES_MS = 15_000;
const PASSAGES_PER_REQUEST = 16;
const CALLS = 50;
const WINDOW_SECONDS = 10;
const WINDOWS = 5;
const QUESTION_BAR_MS = 25;
const PASSAGES_BAR = 15;
const MEMORY_BAR_MB = 250;
/** By how much the p99 of the send times may differ where nothing changed: half of the bar of `pacing`. */
const UNCHANGED_MS = 0.75;

/** The role `embedder` as the other processes meet it: over HTTP, in its own process with its own priority. */
export async function run(): Promise<void> {
  const texts = await passagesOfDocuments();
  const role = await EmbedderProcess.start();
  try {
    showRows([
      ...(await questions(role, texts)),
      ...(await passages(role, texts)),
      memoryOf(role),
      ...(await audioOfCalls(role, texts)),
    ]);
  } finally {
    await role.stop();
  }
  process.exit();
}

async function questions(role: EmbedderProcess, texts: readonly string[]) {
  const rowOf = (where: string, times: number[], bar = QUESTION_BAR_MS) => {
    const p95 = quantile(times, 0.95);
    const shown = `${p95.toFixed(1)} ms (p50 ${quantile(times, 0.5).toFixed(1)})`;
    return row(`vector of a question, p95, ${where}`, shown, `<= ${bar} ms`, p95 <= bar);
  };
  const idle = await ask(role);
  const busy = spawn(process.execPath, ['-e', 'for (;;);']);
  const besideBusyCore = await ask(role);
  busy.kill('SIGKILL');
  const stop = embedPassages(role, texts);
  const besidePassages = await ask(role);
  await stop();
  return [
    rowOf('idle machine', idle),
    rowOf('beside a busy core', besideBusyCore),
    // It waits for the passage that the model is at; the limit of a search is 150 ms.
    rowOf('while passages are embedded', besidePassages, 100),
  ];
}

/** As recognisers write the questions of callers; the role has no cache. */
async function ask(role: EmbedderProcess): Promise<number[]> {
  const questions = questionsOfKinds('tuning');
  const times: number[] = [];
  for (let i = 0; i < ASKED; i++) {
    const began = performance.now();
    await role.embed([questions[i % questions.length]!.question], 'query');
    times.push(performance.now() - began);
    await new Promise((done) => setTimeout(done, PAUSE_MS));
  }
  return times;
}

async function passages(role: EmbedderProcess, texts: readonly string[]) {
  const cpuBefore = await cpuOfTrees([role.pid]);
  const began = performance.now();
  const stop = embedPassages(role, texts);
  await new Promise((done) => setTimeout(done, PASSAGES_MS));
  const count = await stop();
  const seconds = (performance.now() - began) / 1_000;
  const cores = ((await cpuOfTrees([role.pid])) - cpuBefore) / 1_000 / seconds;
  const perCore = count / seconds / cores;
  return [
    row(
      'passages per second of a core',
      `${perCore.toFixed(1)} (${(count / seconds).toFixed(1)} per second)`,
      `>= ${PASSAGES_BAR}`,
      perCore >= PASSAGES_BAR,
    ),
  ];
}

function memoryOf(role: EmbedderProcess) {
  const mb = role.memoryMb();
  return row('memory of the role', `${mb.toFixed(0)} MB`, `<= ${MEMORY_BAR_MB} MB`, mb <= MEMORY_BAR_MB);
}

/** Send times of the audio of agent calls, with and without passages that are embedded beside them, in turns. */
async function audioOfCalls(role: EmbedderProcess, texts: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-bench-'));
  const tls = certificateIn(folder);
  const server = fork(new URL('./voice-server.js', import.meta.url), [tls.cert, tls.key]);
  try {
    const [servers] = (await once(server, 'message')) as [VoiceServers];
    const options = { calls: CALLS, seconds: WINDOW_SECONDS, servers, cert: tls.cert };
    const quiet: LoadResult[] = [];
    const embedding: LoadResult[] = [];
    await duringCalls(new URL('./voice-subject.js', import.meta.url), options, async (measured) => {
      for (let i = 0; i < WINDOWS; i++) {
        quiet.push(await measured());
        const stop = embedPassages(role, texts);
        embedding.push(await measured());
        await stop();
      }
    });
    const p99 = (all: LoadResult[]): number =>
      quantile(
        all.map(({ p99Ms }) => p99Ms),
        0.5,
      );
    const [without, beside] = [p99(quiet), p99(embedding)];
    return [
      row(
        `audio of ${CALLS} calls, p99 of the send times while passages are embedded`,
        `${beside.toFixed(2)} ms (${without.toFixed(2)} without)`,
        `<= ${UNCHANGED_MS} ms more`,
        beside - without <= UNCHANGED_MS,
      ),
    ];
  } finally {
    server.kill();
    rmSync(folder, { recursive: true });
  }
}

/** Requests of passages, one after the other. @returns ends them and says how many passages there were */
function embedPassages(role: EmbedderProcess, texts: readonly string[]): () => Promise<number> {
  let count = 0;
  const stopping = new AbortController();
  const work = async (): Promise<number> => {
    for (
      let at = 0;
      !stopping.signal.aborted;
      at = (at + PASSAGES_PER_REQUEST) % (texts.length - PASSAGES_PER_REQUEST)
    ) {
      const some = texts.slice(at, at + PASSAGES_PER_REQUEST);
      await role.embed(some, 'passage');
      count += some.length;
    }
    return count;
  };
  const working = work();
  return () => {
    stopping.abort();
    return working;
  };
}

/** Of documents of five kinds, cut as an upload is. */
async function passagesOfDocuments(): Promise<string[]> {
  const chunks = await Promise.all(documentsOfKinds().map(({ content }) => chunkText(content)));
  return chunks.flat().map(({ headingPath, text }) => `${headingPath.join(' > ')}\n${text}`);
}

class EmbedderProcess {
  private constructor(
    private readonly child: ChildProcess,
    private readonly url: string,
  ) {}

  static async start(): Promise<EmbedderProcess> {
    const port = await freePort();
    const child = fork(join('dist', 'apps', 'embedder', 'src/main.js'), {
      execArgv: collectorOf('embedder'),
      env: { ...process.env, EMBEDDER_PORT: String(port), EMBEDDER_HOST: '127.0.0.1', LOG_LEVEL: 'fatal' },
    });
    await once(child, 'message');
    const role = new EmbedderProcess(child, `http://127.0.0.1:${port}`);
    while ((await fetch(`${role.url}/v1/models`)).status !== 200) await new Promise((done) => setTimeout(done, 50));
    return role;
  }

  get pid(): number {
    return this.child.pid!;
  }

  async embed(input: string[], kind: 'query' | 'passage'): Promise<void> {
    const response = await fetch(`${this.url}/v1/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-embedding-kind': kind },
      body: JSON.stringify({ input, encoding_format: 'base64' }),
    });
    const body = await response.text();
    if (response.status !== 200) throw new Error(`The embedder answered ${response.status}: ${body}`);
  }

  memoryMb(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'latin1');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
  }

  async stop(): Promise<void> {
    const exited = once(this.child, 'exit');
    this.child.kill();
    await exited;
  }
}
