const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** `npm start` and `npm run demo`: there npm is the parent process. */
const NPM_SCRIPTS = ['start', 'demo'];
const PARENT_CHECK_MS = 1_000;
/** A signal to the whole process group arrives twice: from the kernel, and forwarded by npm. */
const SAME_REQUEST_MS = 1_000;

/**
 * A request to end this process: a signal, the end of the parent process, or a failed child. The parent counts if it owns this process:
 * npm running one of NPM_SCRIPTS, or a process with an IPC channel. SIGKILL to such a parent therefore leaves nothing running.
 */
export class StopRequest {
  /** Resolves with the exit code at the first request: 0 for a signal or a lost parent, 1 for a failure. */
  readonly made: Promise<number>;
  private code: number | undefined;
  private madeAt = 0;
  private resolve: (code: number) => void = () => {};
  private readonly parentCheck: NodeJS.Timeout | undefined;

  /** `onRepeat` is called for a second signal during the shutdown. */
  constructor(private readonly onRepeat: () => void) {
    this.made = new Promise((resolve) => (this.resolve = resolve));
    for (const signal of SIGNALS) process.on(signal, this.onSignal);
    process.on('disconnect', this.onParentGone);
    if (NPM_SCRIPTS.includes(process.env.npm_lifecycle_event ?? '')) this.parentCheck = this.checkParent(process.ppid);
  }

  get isMade(): boolean {
    return this.code !== undefined;
  }

  fail(): void {
    this.make(1);
  }

  /** Restores the default effect of signals. */
  dispose(): void {
    for (const signal of SIGNALS) process.off(signal, this.onSignal);
    process.off('disconnect', this.onParentGone);
    clearInterval(this.parentCheck);
  }

  private checkParent(parent: number): NodeJS.Timeout {
    return setInterval(() => {
      if (process.ppid !== parent) this.onParentGone();
    }, PARENT_CHECK_MS).unref();
  }

  private readonly onSignal = (): void => {
    if (!this.isMade) this.make(0);
    else if (performance.now() - this.madeAt > SAME_REQUEST_MS) this.onRepeat();
  };

  private readonly onParentGone = (): void => this.make(0);

  private make(code: number): void {
    if (this.isMade) return;
    this.code = code;
    this.madeAt = performance.now();
    this.resolve(code);
  }
}
