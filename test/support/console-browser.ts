import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { type Browser, connect, type HTTPRequest, launch, type Page } from 'puppeteer-core';
import { PATIENCE_MS } from './eventually.js';

const CHROMIUM = '/usr/bin/chromium';

/** Chromium without a page; undefined where it is not installed. `microphone`: a WAV file that its microphone repeats. */
export async function startBrowser(microphone?: string): Promise<Browser | undefined> {
  if (!existsSync(CHROMIUM)) return undefined;
  const audio = ['--use-fake-device-for-media-stream', `--use-file-for-fake-audio-capture=${microphone}`];
  const args = ['--no-sandbox', ...(microphone === undefined ? [] : audio)];
  return launch({ executablePath: CHROMIUM, headless: true, args });
}
const LOOK_EVERY_MS = 50;

interface Violation {
  id: string;
  impact: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/** The console in a headless Chromium. Page expressions are strings, because the tests' types are those of Node. */
export class ConsoleBrowser {
  /** Exceptions of the page, and violations of its content security policy. */
  readonly complaints: string[] = [];
  /** Questions of the browser itself, such as `beforeunload`. All are answered with yes. */
  readonly asked: string[] = [];
  /** Requests to the API without a response. */
  private readonly pending = new Set<HTTPRequest>();

  private constructor(
    readonly page: Page,
    private readonly end: () => Promise<void>,
  ) {
    page.on('dialog', (dialog) => {
      this.asked.push(dialog.type());
      void dialog.accept();
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (message) => {
      if (/Content Security Policy|Refused to/.test(message.text())) this.complaints.push(message.text());
    });
    page.on('request', (request) => {
      // A navigation cancels the requests of the page before, without an event for each.
      if (request.isNavigationRequest()) this.pending.clear();
      if (request.url().includes('/api/v1/')) this.pending.add(request);
    });
    page.on('response', (response) => this.pending.delete(response.request()));
    page.on('requestfailed', (request) => this.pending.delete(request));
  }

  /**
   * @param endpoint of a running browser, in which the page has storage and cookies of its own; absent: a new one
   * @param microphone of a new one
   */
  static async open(url: string, endpoint?: string, microphone?: string): Promise<ConsoleBrowser> {
    const browser = endpoint ? await connect({ browserWSEndpoint: endpoint }) : await startBrowser(microphone);
    if (!browser) throw new Error('Chromium is not installed.');
    const context = await browser.createBrowserContext();
    const opened = new ConsoleBrowser(await context.newPage(), async () => {
      await context.close();
      await (endpoint ? browser.disconnect() : browser.close());
    });
    const { page } = opened;
    await opened.size(1280, 900);
    await page.goto(url);
    return opened;
  }

  /** Whether the browser gives the microphone to pages of an origin; nobody is asked. */
  async allowMicrophone(origin: string, isAllowed: boolean): Promise<void> {
    await this.page.browserContext().overridePermissions(origin, isAllowed ? ['microphone'] : []);
  }

  size(width: number, height: number): Promise<void> {
    return this.page.setViewport({ width, height });
  }

  close(): Promise<void> {
    return this.end();
  }

  /** The value of an expression in the page. */
  look<T>(expression: string): Promise<T> {
    return this.page.evaluate(expression) as Promise<T>;
  }

  text(selector: string): Promise<string> {
    return this.look(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ''`);
  }

  /** Resolves when the expression is true in the page. */
  async until(expression: string): Promise<void> {
    for (const deadline = Date.now() + PATIENCE_MS; !(await this.isTrue(expression));) {
      if (Date.now() > deadline) throw new Error(`${expression} did not come true in:\n${await this.text('body')}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  /** False while the page is being left for another one. */
  private async isTrue(expression: string): Promise<boolean> {
    try {
      return await this.look<boolean>(`Boolean(${expression})`);
    } catch (error) {
      if (String(error).includes('Execution context was destroyed')) return false;
      throw error;
    }
  }

  /** Resolves when the page has drawn what it reads. */
  async settled(): Promise<void> {
    const drawn = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))';
    for (const deadline = Date.now() + PATIENCE_MS; ;) {
      await this.look(drawn);
      await this.until(`!document.body.innerText.includes('Loading')`);
      const [open] = this.pending;
      if (!open) return;
      if (Date.now() > deadline) throw new Error(`The page still waits for ${open.method()} ${open.url()}.`);
    }
  }

  untilText(selector: string, text: string): Promise<void> {
    return this.until(
      `(document.querySelector(${JSON.stringify(selector)})?.innerText ?? '').includes(${JSON.stringify(text)})`,
    );
  }

  untilMatches(selector: string, pattern: RegExp): Promise<void> {
    return this.until(`${pattern}.test(document.querySelector(${JSON.stringify(selector)})?.innerText ?? '')`);
  }

  async go(path: string, heading: string): Promise<void> {
    await this.look(`location.hash = ${JSON.stringify(`#${path}`)}`);
    await this.untilText('h1', heading);
  }

  untilExists(selector: string): Promise<void> {
    return this.until(`document.querySelector(${JSON.stringify(selector)})`);
  }

  /** Clicks with the mouse when the element has come to rest: content that loads above it moves it. */
  click(selector: string): Promise<void> {
    return this.page.locator(selector).setTimeout(PATIENCE_MS).click();
  }

  /** Clicks by script, also on an element that another one covers. */
  async press(selector: string): Promise<void> {
    await this.untilExists(selector);
    await this.look(`document.querySelector(${JSON.stringify(selector)}).click()`);
  }

  async focus(selector: string): Promise<void> {
    await this.untilExists(selector);
    await this.page.focus(selector);
  }

  /** Selects an option, which may still be loading. */
  async select(selector: string, value: string): Promise<void> {
    await this.untilExists(`${selector} option[value=${JSON.stringify(value)}]`);
    await this.page.select(selector, value);
  }

  /** Types in place of what the field contains: the first key replaces the selection, even if the page renders the field again before it. */
  async type(selector: string, text: string): Promise<void> {
    await this.untilExists(selector);
    await this.look(`document.querySelector(${JSON.stringify(selector)}).select?.()`);
    await this.page.type(selector, text);
    if (text === '') await this.page.keyboard.press('Backspace');
  }

  /** Serious and critical accessibility violations with their elements. */
  async violations(): Promise<string[]> {
    await this.page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
    const found = await this.look<Violation[]>('axe.run().then(({ violations }) => violations)');
    return found
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(
        ({ id, nodes }) =>
          `${id}: ${nodes.map((node) => `${node.target.join(' ')} ${node.failureSummary}`).join('; ')}`,
      );
  }

  /** Horizontal overflow of the page in pixels. */
  overhang(): Promise<number> {
    return this.look('document.documentElement.scrollWidth - innerWidth');
  }
}
