import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { TestApi } from '../../support/app.js';
import { ConsoleBrowser } from '../../support/console-browser.js';
import { suiteWith } from '../../support/suite-with.js';

const PHONE_PORT = 5_099;
/** As of an iPhone 14. */
const PHONE = { width: 390, height: 844, isMobile: true, hasTouch: true };

const withChromium = suiteWith(['chromium']);

// Chromium lays the whole document out, which takes long on a busy machine.
jest.setTimeout(60_000);

withChromium('Swagger UI', () => {
  let api: TestApi;
  let browser: ConsoleBrowser;

  beforeAll(async () => {
    api = await TestApi.start({ SANDBOX_SIP_PORT: String(PHONE_PORT) });
    const { port } = api;
    browser = await ConsoleBrowser.open(`http://127.0.0.1:${port}/docs`);
    await browser.until(`document.querySelector('.opblock-tag')`);
  });

  afterAll(async () => {
    await browser?.close();
    await api?.stop();
  });

  it('lists the tags in the order of the document, collapsed', async () => {
    const { body } = await api.as().get('/openapi.json');
    const shown = await browser.look<string[]>(
      `[...document.querySelectorAll('.opblock-tag')].map((tag) => tag.dataset.tag)`,
    );
    expect(shown).toEqual(body.tags.map(({ name }: { name: string }) => name));
    expect(await browser.look(`document.querySelectorAll('.opblock-tag-section .opblock').length`)).toBe(0);
  });

  it('shows the address of the running sandbox phone in its examples', async () => {
    await browser.page.click('[data-tag="Calls"]');
    await browser.until(`document.querySelector('#operations-Calls-createCalls')`);
    await browser.page.click('#operations-Calls-createCalls button');
    await browser.untilText('#operations-Calls-createCalls', `sip:answer@127.0.0.1:${PHONE_PORT}`);
    const { text } = await api.as().get('/openapi.json');
    expect(text).not.toContain('127.0.0.1:5070');
  });

  it('fits the screen of a phone', async () => {
    await browser.page.setViewport(PHONE);
    await browser.page.reload();
    // The operation of the test before: its address is in the fragment.
    await browser.until(`document.querySelector('#operations-Calls-createCalls .responses-table')`);
    expect(await browser.look('innerWidth')).toBe(PHONE.width);
    expect(await browser.overhang()).toBeLessThanOrEqual(0);
  });

  it('loads nothing that its content security policy forbids', () => expect(browser.complaints).toEqual([]));
});
