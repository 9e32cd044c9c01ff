import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import type { Browser, Page } from 'puppeteer-core';
import {
  CallServer,
  CHROMIUM,
  clientForBrowsers,
  framesOf,
  likeness,
  openCallBrowser,
  type PageLine,
  samplesIn,
  sendAtPace,
  spokenWords,
  untilTrue,
} from '../../support/call-browser.js';
import { suiteWith } from '../../support/suite-with.js';

const withChromium = suiteWith(['chromium'], () => existsSync(CHROMIUM));

const RATE = 16_000;

/** Records each frame that the play-out takes from its buffer, before the resampler: `window.taken` of the page. */
const TAP = `
const register = globalThis.registerProcessor;
globalThis.registerProcessor = (name, processor) => register(name, name === 'trunkline-play-out' ? class extends processor {
  constructor(options) {
    super(options);
    const { playOut } = this;
    const take = playOut.takeFrame.bind(playOut);
    playOut.takeFrame = () => {
      const frame = take();
      this.port.postMessage({ tapped: Array.from(frame) });
      return frame;
    };
  }
} : processor);
`;

/** Keeps the tapped frames and gives the page all other messages of the worklet. */
const PAGE = `<!doctype html><html lang="en"><title>Call</title><script type="module">
import * as client from '/client.js';
window.taken = [];
const Node = window.AudioWorkletNode;
window.AudioWorkletNode = class extends Node {
  constructor(...args) {
    super(...args);
    this.port.addEventListener('message', (event) => {
      if (!event.data.tapped) return;
      window.taken.push(event.data.tapped);
      event.stopImmediatePropagation();
    });
  }
};
window.events = [];
window.begin = async (how, target, options = {}) => {
  const onEvent = (event) => window.events.push(event);
  try {
    window.call = await client[how](target, { ...options, onEvent });
    return 'started';
  } catch (error) {
    return { name: error.name, code: error.code, message: error.message };
  }
};
window.loaded = true;
</script>`;

withChromium('the client for browsers', () => {
  let files: Record<string, { type: string; body: string; headers?: Record<string, string> }>;
  let speech: Int16Array;
  let answer: Int16Array;
  let browser: Awaited<ReturnType<typeof openCallBrowser>>;
  let server: CallServer | undefined;

  beforeAll(async () => {
    const [{ client, worklet }, words, reply] = await Promise.all([
      clientForBrowsers(),
      spokenWords('Good morning. I would like to change my appointment.'),
      spokenWords('Of course. Which day would suit you better?'),
    ]);
    const javascript = 'text/javascript';
    files = {
      '/': { type: 'text/html', body: PAGE },
      '/strict': {
        type: 'text/html',
        body: '<!doctype html><html lang="de"><title>Call</title><script type="module" src="/page.js"></script>',
        headers: { 'content-security-policy': "default-src 'none'; script-src 'self'; connect-src 'self'" },
      },
      '/page.js': { type: javascript, body: /<script type="module">(.*)<\/script>/s.exec(PAGE)![1]! },
      '/client.js': { type: javascript, body: client },
      '/worklet.js': { type: javascript, body: worklet },
      '/tapped.js': { type: javascript, body: TAP + worklet },
    };
    const silence = new Int16Array(RATE / 2);
    [speech, answer] = [words, reply];
    browser = await openCallBrowser({ hears: Int16Array.from([...words, ...silence]) });
  });

  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  afterAll(() => browser?.close());

  /** A server that accepts every line, and says that the call is in progress. */
  const callServer = async (accept: (line: PageLine) => number | undefined = () => undefined) =>
    (server = await CallServer.start(files, (line) => {
      const code = accept(line);
      if (code !== undefined) return code;
      line.say({ type: 'ready', call_id: 'c1', resume_token: 'again', format: 'l16', frame_ms: 20 });
      line.say({ type: 'status', status: 'in_progress' });
      return undefined;
    }));

  async function openPage(path = '/', on: Browser = browser.browser): Promise<Page> {
    const page = await on.newPage();
    await page.goto(`${server!.url}${path}`);
    await untilTrue(page, 'window.loaded');
    return page;
  }

  const begin = (page: Page, how = 'startWebCall', options: object = {}, token = 'once'): Promise<unknown> =>
    page.evaluate(
      `begin(${JSON.stringify(how)}, ${JSON.stringify({ url: server!.url.replace('http', 'ws'), token })}, ${JSON.stringify(options)})`,
    );

  const eventsOf = (page: Page, type: string): Promise<Record<string, unknown>[]> =>
    page.evaluate(`events.filter((event) => event.type === ${JSON.stringify(type)})`) as never;

  const untilEvent = (page: Page, type: string, fields: object = {}): Promise<unknown> =>
    untilTrue(
      page,
      `events.some((event) => event.type === ${JSON.stringify(type)} && Object.entries(${JSON.stringify(fields)}).every(([name, value]) => event[name] === value))`,
    );

  describe('a call', () => {
    it('sends what the microphone hears, in frames of 20 ms', async () => {
      await callServer();
      const page = await openPage();
      expect(await begin(page)).toBe('started');
      // Longer than the sentence with its pause, after the echo cancellation has settled.
      await server!.until(() => server!.lines[0]!.audio.length >= 450);
      const [line] = server!.lines;
      expect(line!.token).toBe('once');
      expect(new Set(line!.audio.map(({ length }) => length))).toEqual(new Set([640]));
      // A word in the middle of the sentence; noise suppression and gain change the wave a little.
      const word = speech.subarray(RATE, 1.6 * RATE);
      expect(likeness(samplesIn(line!.audio.slice(100, 450)), word).score).toBeGreaterThan(0.8);
      await page.close();
    });

    it('plays what the service sends, sample for sample, and reports how much was played', async () => {
      await callServer();
      const page = await openPage();
      await begin(page, 'startWebCall', { workletUrl: '/tapped.js' });
      const frames = framesOf(answer);
      sendAtPace(server!.lines[0]!, frames);
      const total = frames.length * 20;
      await server!.until(() =>
        server!.lines[0]!.messages.some(({ type, ms }) => type === 'played' && Number(ms) >= total),
      );
      const taken = (await page.evaluate('taken')) as number[][];
      // Silent frames may be skipped when the machine is busy; no other may be missing or changed.
      const sent = frames.map((frame) => Array.from(samplesIn([frame])));
      const heard = taken.map((samples) => samples.join());
      const loud = sent.filter((samples) => samples.some((sample) => Math.abs(sample) > 32));
      expect(heard.filter((samples) => /[1-9]\d\d/.test(samples)).length).toBeGreaterThan(50);
      expect(loud.filter((samples) => !heard.includes(samples.join()))).toEqual([]);
      expect(sent.map((samples) => samples.join()).filter((samples) => heard.includes(samples))).toEqual(heard);
      const played = server!.lines[0]!.messages.filter(({ type }) => type === 'played').map(({ ms }) => Number(ms));
      expect(played).toEqual(played.toSorted((a, b) => a - b));
      expect(played.at(-1)).toBe(total);
      await page.close();
    });

    it('tells the page about levels, words, keys and the end', async () => {
      await callServer();
      const page = await openPage();
      await begin(page);
      const [line] = server!.lines;
      sendAtPace(line!, framesOf(answer));
      const words = { type: 'transcript', role: 'agent', text: 'Of course.', final: true, turn: 1 };
      line!.say(words);
      line!.say({ type: 'dtmf', digit: '5' });
      line!.say({ type: 'a message of a later version' });
      await untilTrue(
        page,
        `events.some(({ type, input, output }) => type === 'levels' && input > 0.05 && output > 0.05)`,
      );
      await page.evaluate(`call.sendDigits('12#')`);
      await page.evaluate(`call.hangUp()`);
      await server!.until(() => line!.messages.some(({ type }) => type === 'hangup'));
      expect(line!.messages).toContainEqual({ type: 'dtmf', digits: '12#' });
      line!.say({ type: 'ended', status: 'completed', cause: 'caller_hung_up' });
      await untilEvent(page, 'ended');
      expect(await eventsOf(page, 'transcript')).toEqual([words]);
      expect(await eventsOf(page, 'dtmf')).toEqual([{ type: 'dtmf', digit: '5' }]);
      expect(await eventsOf(page, 'ended')).toEqual([{ type: 'ended', status: 'completed', cause: 'caller_hung_up' }]);
      const statuses = (await eventsOf(page, 'status')).map(({ status }) => status);
      expect(statuses).toEqual(['connecting', 'in_progress']);
      await page.close();
    });

    it('sends silence while it is muted', async () => {
      await callServer();
      const page = await openPage();
      await begin(page);
      const [line] = server!.lines;
      await page.evaluate('call.mute(true)');
      const isQuiet = (frame: Buffer) => samplesIn([frame]).every((sample) => Math.abs(sample) <= 1);
      await server!.until(() => line!.audio.length > 50 && line!.audio.slice(-50).every(isQuiet));
      await page.evaluate('call.mute(false)');
      await server!.until(() => !isQuiet(line!.audio.at(-1)!));
      expect(await page.evaluate('call.muted')).toBe(false);
      await page.close();
    });

    it('falls silent at once when the service clears what it sent', async () => {
      await callServer();
      const page = await openPage();
      await begin(page, 'startWebCall', { workletUrl: '/tapped.js' });
      const [line] = server!.lines;
      // Three seconds at once: most of it waits in the page.
      for (const frame of framesOf(answer).slice(0, 150)) line!.socket.send(frame);
      const played = () => Number(line!.messages.findLast(({ type }) => type === 'played')?.['ms'] ?? 0);
      await server!.until(() => played() >= 500);
      line!.say({ type: 'clear' });
      const reports = () => line!.messages.filter(({ type }) => type === 'played').length;
      const before = reports();
      await server!.until(() => reports() >= before + 10);
      const after = played();
      expect(after).toBeLessThan(1_500);
      const [{ report }] = (await eventsOf(page, 'play_out')).slice(-1) as [{ report: { bufferedMs: number } }];
      expect(report.bufferedMs).toBe(0);
      // The next sentence is heard as ever.
      sendAtPace(line!, framesOf(answer).slice(0, 25));
      await server!.until(() => played() === after + 500);
      await page.close();
    });

    it('goes on after a lost connection, with the resume token', async () => {
      await callServer();
      const page = await openPage();
      await begin(page);
      await server!.until(() => server!.lines[0]!.audio.length > 10);
      server!.lines[0]!.socket.terminate();
      await server!.until(() => (server!.lines[1]?.audio.length ?? 0) > 50);
      expect(server!.lines[1]!.token).toBe('again');
      const statuses = (await eventsOf(page, 'status')).map(({ status }) => status);
      expect(statuses).toEqual(['connecting', 'in_progress', 'reconnecting', 'in_progress']);
      await page.close();
    });

    it('has ended with a sentence when the service refuses the resume token', async () => {
      await callServer((line) => (line.token === 'again' ? 4401 : undefined));
      const page = await openPage();
      await begin(page);
      server!.lines[0]!.socket.terminate();
      await untilEvent(page, 'ended', { error: 'connection_lost' });
      expect(await eventsOf(page, 'ended')).toMatchObject([
        { message: expect.stringContaining('The connection was lost') },
      ]);
      await page.close();
    });

    it.each([
      [4401, 'token_invalid', 'This link has expired or was already used. Ask for a new one.'],
      [4403, 'not_allowed', 'Calls are not allowed from this page.'],
      [4404, 'call_not_found', 'This call does not exist, or it has ended.'],
      [4429, 'limit_reached', 'Too many calls at the moment. Please try again later.'],
      [4503, 'unavailable', 'Calls are not possible at the moment. Please try again later.'],
    ])('is refused with code %i as %s', async (code, name, message) => {
      await callServer(() => code);
      const page = await openPage();
      expect(await begin(page)).toEqual({ name: 'WebCallError', code: name, message });
      await page.close();
    });

    it('works under a strict content security policy with the worklet as a file', async () => {
      await callServer();
      const page = await openPage('/strict');
      const complaints: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      expect(await begin(page, 'startWebCall', { workletUrl: '/worklet.js' })).toBe('started');
      await server!.until(() => server!.lines[0]!.audio.length > 10);
      expect(complaints).toEqual([]);
      await page.close();
    });
  });

  it.each([
    ['is denied', { hears: new Int16Array(RATE), denies: true }, 'microphone_denied', 'Das Mikrofon ist gesperrt.'],
    ['does not exist', {}, 'microphone_missing', 'Kein Mikrofon gefunden.'],
  ])('opens no connection when the microphone %s', async (_title, microphone, code, message) => {
    await callServer();
    const other = await openCallBrowser(microphone);
    try {
      const page = await openPage('/strict', other.browser);
      expect(await begin(page, 'startWebCall', { workletUrl: '/worklet.js' })).toEqual({
        name: 'WebCallError',
        code,
        message: expect.stringContaining(message),
      });
      expect(server!.lines).toHaveLength(0);
    } finally {
      await other.close();
    }
  });

  describe('a listener', () => {
    const listenServer = () =>
      CallServer.start(files, (line) => {
        line.say({ type: 'ready', call_id: 'c1', format: 'l16', channels: 2, may_speak: true });
        line.say({ type: 'state', listeners: [{ name: 'Ada' }], speaker: null, can_whisper: false });
        return undefined;
      });

    it('hears both sides of the call, sends nothing until it takes over, and nothing after it hands back', async () => {
      server = await listenServer();
      const page = await openPage();
      expect(await begin(page, 'listenToCall', { workletUrl: '/tapped.js' }, 'tk_1')).toBe('started');
      const [line] = server.lines;
      expect(line!.token).toBe('tk_1');
      const stereo = Int16Array.from({ length: 2 * RATE }, (_, at) => (at % 2 === 0 ? 3_000 : -6_000));
      sendAtPace(line!, framesOf(stereo, 640));
      await untilTrue(page, `events.some(({ type, user, agent }) => type === 'levels' && user > 0.08 && agent > 0.16)`);
      expect(line!.audio).toEqual([]);
      await page.evaluate('call.takeOver()');
      await server.until(() => line!.audio.length > 25);
      expect(line!.messages).toEqual([{ type: 'take_over' }]);
      await page.evaluate('call.handBack()');
      await server.until(() => line!.messages.length === 2);
      expect(line!.messages[1]).toEqual({ type: 'hand_back' });
      const sent = line!.audio.length;
      await page.evaluate('call.close()');
      await server.until(() => line!.socket.readyState === 3);
      expect(line!.audio.length).toBe(sent);
      expect((await eventsOf(page, 'mode')).map(({ mode }) => mode)).toEqual(['speaking', 'listening']);
      expect(await eventsOf(page, 'state')).toMatchObject([{ listeners: [{ name: 'Ada' }] }]);
      await page.close();
    });

    it('gives the line back when its connection is lost', async () => {
      server = await listenServer();
      const page = await openPage();
      await begin(page, 'listenToCall');
      await page.evaluate('call.takeOver()');
      await server.until(() => server!.lines[0]!.audio.length > 5);
      server.lines[0]!.socket.terminate();
      await server.until(() => server!.lines.length === 2);
      await untilEvent(page, 'mode', { mode: 'listening' });
      expect(server.lines[1]!.audio).toEqual([]);
      await page.close();
    });
  });
});
