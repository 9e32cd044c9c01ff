import { createHash } from 'node:crypto';
import { DEFAULT_SCRIPT, readScript, type Script } from './script.js';

const MOST_SCRIPTS = 2_000;
const MOST_BYTES = 16 * 1024 * 1024;
const NAMED = /^script-([0-9a-f]{64})$/;

interface Registered {
  script: Script;
  bytes: number;
  /** Connections so far: faults may come on the first ones only. */
  connections: number;
}

/** The scripts that clients may name as their model; the least recently used are dropped. */
export class ScriptCache {
  private readonly registered = new Map<string, Registered>();
  private bytes = 0;
  private connectionsOfDefault = 0;

  /** `fallback`: played for every model name that names no script. */
  constructor(private readonly fallback: Script = DEFAULT_SCRIPT) {}

  /** @throws ScriptInvalid; a SyntaxError when the body is not valid JSON. */
  register(id: string, body: string): void {
    const known = this.registered.get(id);
    if (known) return this.touch(id, known);
    const script = readScript(JSON.parse(body));
    this.registered.set(id, { script, bytes: body.length, connections: 0 });
    this.bytes += body.length;
    for (const [oldest, { bytes }] of this.registered) {
      if (this.registered.size <= MOST_SCRIPTS && this.bytes <= MOST_BYTES) break;
      this.registered.delete(oldest);
      this.bytes -= bytes;
    }
  }

  /** Undefined: the model names a script that was not registered. */
  open(model: string): { script: Script; connection: number } | undefined {
    const id = NAMED.exec(model)?.[1];
    if (id === undefined) return { script: this.fallback, connection: ++this.connectionsOfDefault };
    const known = this.registered.get(id);
    if (!known) return undefined;
    this.touch(id, known);
    return { script: known.script, connection: ++known.connections };
  }

  private touch(id: string, known: Registered): void {
    this.registered.delete(id);
    this.registered.set(id, known);
  }
}

/** The name of a script is its SHA-256 digest. */
export const scriptId = (body: string): string => createHash('sha256').update(body).digest('hex');
