import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'puppeteer-core';
import {
  CallServer,
  CHROMIUM,
  framesOf,
  openCallBrowser,
  sendAtPace,
  spokenWords,
  untilTrue,
} from '../../support/call-browser.js';
import { suiteWith } from '../../support/suite-with.js';

const withChromium = suiteWith(['chromium'], () => existsSync(CHROMIUM));

/** A page with the policy that docs/integrate/web-calls.md asks for. */
const POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'";

const shop = (attributes = '', language = 'en'): string =>
  `<!doctype html><html lang="${language}"><head><title>Shop</title></head><body><main><h1>Shop</h1>
  <script src="/widget.js" data-key="pk_1" data-agent="7" ${attributes} async></script></main></body></html>`;

/** Elements of the widget, in its shadow tree. */
const inWidget = (selector: string): string =>
  `document.querySelector('div[data-position]').shadowRoot.querySelector(${JSON.stringify(selector)})`;

withChromium('the widget and the page /talk', () => {
  let browser: Awaited<ReturnType<typeof openCallBrowser>>;
  let server: CallServer;
  let page: Page;
  let refusal: number | undefined;
  const files: Record<string, { type: string; body: string; headers?: Record<string, string> }> = {};
  /** Exceptions of all pages, and violations of their policies. */
  const complaints: string[] = [];

  beforeAll(async () => {
    const speech = await spokenWords('Hello, is somebody there?');
    browser = await openCallBrowser({ hears: speech });
    for (const name of ['widget.js', 'call-worklet.js', 'talk.js'])
      files[`/${name}`] = { type: 'text/javascript', body: await readFile(`dist/apps/widget/${name}`, 'utf8') };
    const headers = { 'content-security-policy': POLICY };
    files['/talk'] = { type: 'text/html', body: await readFile('dist/apps/widget/talk.html', 'utf8') };
    files['/'] = { type: 'text/html', body: shop(), headers };
    files['/de'] = { type: 'text/html', body: shop('data-position="inline" data-label="Fragen?"', 'de-AT'), headers };
    files['/dark'] = { type: 'text/html', body: shop('data-theme="dark" data-position="bottom-left"', 'fr'), headers };
    server = await CallServer.start(files, (line) => {
      if (refusal !== undefined) return refusal;
      line.say({ type: 'ready', call_id: 'c1', resume_token: 'again', format: 'l16', frame_ms: 20 });
      line.say({ type: 'status', status: 'in_progress' });
      return undefined;
    });
    const url = server.url.replace('http', 'ws');
    files['/api/v1/web-calls'] = { type: 'application/json', body: JSON.stringify({ data: { url, token: 'once' } }) };
  });

  afterEach(async () => {
    if (page && !page.isClosed()) await page.close();
    refusal = undefined;
    server.lines.length = 0;
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  async function open(path: string, ready = `document.querySelector('div[data-position]')`): Promise<void> {
    page = await browser.browser.newPage();
    page.on('console', (message) => {
      if (/Content Security Policy|Refused/.test(message.text())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${server.url}${path}`);
    await untilTrue(page, ready);
  }

  const violations = async (): Promise<string[]> => {
    const axe = await readFile(createRequire(`${process.cwd()}/package.json`).resolve('axe-core/axe.min.js'), 'utf8');
    // The policy of the page is for its own scripts; the debugger's pass.
    await page.evaluate(axe);
    return page.evaluate(
      `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes.map(({ target }) => target.flat()).join()))`,
    ) as Promise<string[]>;
  };

  const text = (selector: string): Promise<string> =>
    page.evaluate(`${inWidget(selector)}?.textContent ?? ''`) as never;

  const untilText = (selector: string, part: string): Promise<unknown> =>
    untilTrue(page, `(${inWidget(selector)}?.textContent ?? '').includes(${JSON.stringify(part)})`);

  it('is a call by keyboard alone: begins, mutes, sends keys, hangs up and begins again', async () => {
    await open('/');
    expect(await violations()).toEqual([]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await untilText('.status', 'In call');
    expect(await page.evaluate(`${inWidget(':focus')}.textContent`)).toBe('Hang up');
    const [line] = server.lines;
    expect(line!.token).toBe('once');
    await page.keyboard.down('Shift');
    await page.keyboard.press('Tab');
    await page.keyboard.up('Shift');
    await page.keyboard.press('Space');
    await untilText('.row button', 'Unmute');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await server.until(() => line!.messages.some(({ digits }) => digits === '1'));
    expect(await violations()).toEqual([]);
    await page.evaluate(`${inWidget('.end')}.focus()`);
    await page.keyboard.press('Enter');
    await server.until(() => line!.messages.some(({ type }) => type === 'hangup'));
    line!.say({ type: 'ended', status: 'completed', cause: 'caller_hangup' });
    await untilText('.status', 'The call has ended.');
    expect(await violations()).toEqual([]);
    expect(await page.evaluate(`${inWidget(':focus')}.className`)).toContain('again');
    await page.keyboard.press('Enter');
    await server.until(() => server.lines.length === 2);
    await untilText('.status', 'In call');
  });

  it('shows the words as they are spoken, and announces a turn when it is final', async () => {
    await open('/');
    await page.evaluate(`${inWidget('.launch')}.click()`);
    await untilText('.status', 'In call');
    const [line] = server.lines;
    sendAtPace(line!, framesOf(await spokenWords('Hello.')));
    line!.say({ type: 'transcript', role: 'agent', text: 'How may', final: false, turn: 1 });
    await untilText('.words', 'How may');
    expect(await page.evaluate(`${inWidget('.words p')}.ariaBusy`)).toBe('true');
    line!.say({ type: 'transcript', role: 'agent', text: 'How may I help?', final: true, turn: 1 });
    line!.say({ type: 'transcript', role: 'user', text: 'My order is late.', final: true, turn: 2 });
    await untilText('.words', 'My order is late.');
    expect(await text('.words')).toBe('AgentHow may I help?YouMy order is late.');
    expect(await page.evaluate(`${inWidget('.words')}.getAttribute('role')`)).toBe('log');
    expect(await violations()).toEqual([]);
  });

  it('says why a call was refused, in the language of the page, and takes its labels from attributes', async () => {
    refusal = 4429;
    await open('/de');
    expect(await text('.launch')).toBe('Fragen?');
    expect(
      await page.evaluate(`document.querySelector('main').contains(document.querySelector('div[data-position]'))`),
    ).toBe(true);
    await page.evaluate(`${inWidget('.launch')}.click()`);
    await untilText('[role=alert]', 'Zurzeit gibt es zu viele Anrufe.');
    expect(await violations()).toEqual([]);
  });

  it('has no violation in the dark, closes with Escape, and stores nothing', async () => {
    await open('/dark');
    await page.evaluate(`${inWidget('.launch')}.click()`);
    await untilText('.status', 'En communication');
    expect(await violations()).toEqual([]);
    await page.evaluate(`${inWidget('.end')}.click()`);
    server.lines[0]!.say({ type: 'ended', status: 'completed', cause: null });
    await untilText('.status', 'L’appel est terminé.');
    await page.keyboard.press('Escape');
    await untilTrue(page, `${inWidget('.box')}.hidden && ${inWidget(':focus')}?.className.includes('launch')`);
    expect(await page.evaluate(`document.cookie + localStorage.length + sessionStorage.length`)).toBe('00');
  });

  it('begins the call of a link, and forgets the token', async () => {
    const link = new URLSearchParams({ url: server.url.replace('http', 'ws'), token: 'once', title: 'Claims' });
    await open(`/talk#${link.toString()}`, `document.querySelector('main')`);
    expect(await page.evaluate('location.href')).toBe(`${server.url}/talk`);
    expect(await page.evaluate(`document.querySelector('h1').textContent`)).toBe('Claims');
    expect(await violations()).toEqual([]);
    await page.evaluate(`document.querySelector('main > button').click()`);
    await untilTrue(page, `document.querySelector('.status').textContent === 'In call'`);
    expect(server.lines[0]!.token).toBe('once');
    expect(await violations()).toEqual([]);
  });

  it.each([
    ['without a token', '', 'This link has expired'],
    ['to another host', '#url=wss://elsewhere.example/&token=t', 'Calls are not allowed from this page.'],
  ])('begins no call of a link %s', async (_title, fragment, sentence) => {
    await open(`/talk${fragment}`, `document.querySelector('main')`);
    expect(await page.evaluate(`document.querySelector('[role=alert]').textContent`)).toContain(sentence);
    expect(await page.evaluate(`document.querySelector('main > button')`)).toBe(null);
  });

  it('raised no exception and violated no policy in any of these pages', () => {
    expect(complaints).toEqual([]);
  });
});
