import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { existsSync } from 'node:fs';
import { ConsoleBrowser } from '../support/console-browser.js';
import { aToken, type Workspace } from '../support/factories.js';
import { LiveCall } from '../support/live-call.js';
import { Service } from '../support/service.js';
import { speechFile } from '../support/speech-file.js';
import { suiteWith } from '../support/suite-with.js';

const withChromium = suiteWith(['chromium'], () => existsSync('/usr/bin/chromium'));

// Chromium takes long on a busy machine.
jest.setTimeout(120_000);

const CARD = '[data-part=listen]';

withChromium('a live call in the console', () => {
  const service = Service.get();
  let own: Workspace;
  let speech: Awaited<ReturnType<typeof speechFile>>;
  let browser: ConsoleBrowser;
  let call: LiveCall;

  beforeAll(async () => {
    own = await service.account();
    speech = await speechFile(service, own.token);
    browser = await ConsoleBrowser.open('about:blank', undefined, speech.path);
    await browser.allowMicrophone(service.baseUrl, true);
    await browser.page.goto(`${service.baseUrl}/console#token=${own.token}`);
    await browser.untilText('h1', 'Overview');
    call = await LiveCall.place(service, own, 'answer');
  });

  afterAll(async () => {
    await call?.cancel();
    await browser?.close();
    await speech?.remove();
    await service.close();
  });

  const press = (act: string): Promise<void> => browser.press(`${CARD} [data-act=${act}]`);

  it('comes first on the overview, and is heard with one click', async () => {
    await browser.untilText('[data-part=live-calls]', 'sip:answer');
    const order = await browser.look<string[]>(
      `[...document.querySelectorAll('main [data-part]')].map((one) => one.dataset.part)`,
    );
    expect(order[0]).toBe('live-calls');
    expect(await browser.violations()).toEqual([]);
    await browser.click('[data-part=live-calls] [data-focus=listen]');
    await browser.untilText(`${CARD} [data-role=who-speaks]`, 'Nobody hears you.');
    await browser.untilMatches(CARD, /Listening: \S+/);
    await browser.until(
      `[...document.querySelectorAll('${CARD} [role=meter]')].some((one) => Number(one.getAttribute('aria-valuenow')) > 2)`,
    );
    expect(await browser.violations()).toEqual([]);
  });

  it('is taken over and handed back, which the conversation tells', async () => {
    await press('take-over');
    await browser.untilText(`${CARD} [data-role=who-speaks]`, 'You speak to the callee.');
    await browser.untilText('[data-part=talk]', 'took over');
    expect(await browser.violations()).toEqual([]);
    await press('hand-back');
    await browser.untilText(`${CARD} [data-role=who-speaks]`, 'Nobody hears you.');
    await browser.untilText('[data-part=talk]', 'handed the call back to the agent');
  });

  it('has a whisper only with a colleague on the line, and says so', async () => {
    expect(await browser.look(`document.querySelector('${CARD} [data-act=whisper]').ariaDisabled`)).toBe('true');
    await browser.untilText(`${CARD} #whisper-refusal`, 'no colleague is on the line');
  });

  it('is no longer heard after Stop, and goes on', async () => {
    await press('stop-listening');
    await browser.untilText(CARD, 'You stopped listening.');
    await browser.untilText('[data-part=talk]', 'stopped listening');
    await browser.untilText('.call-head .pill', 'In progress');
    expect(browser.complaints).toEqual([]);
  });

  it('is not heard without the scope, with the reason', async () => {
    const token = await aToken(service.pool, own.accountId, ['calls:read', 'analytics:read']);
    await browser.look('sessionStorage.clear()');
    await browser.page.goto('about:blank');
    await browser.page.goto(`${service.baseUrl}/console#token=${token}&to=/calls/${call.id}`);
    await press('listen');
    await browser.untilText(CARD, 'The token lacks the scope calls:listen.');
  });
});
