import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConsoleBrowser } from '../support/console-browser.js';
import { Service } from '../support/service.js';
import { suiteWith } from '../support/suite-with.js';

const service = Service.get();
afterAll(() => service.close());

describe('the guide', () => {
  it('is served compressed, with the policy of the console, under addresses without a suffix', async () => {
    const page = await service.as().get('/guide/integrate/place-calls').expect(200);
    const consolePage = await service.as().get('/console/').expect(200);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-encoding': 'gzip',
      'content-security-policy': consolePage.headers['content-security-policy'],
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    });
    expect(page.headers['content-security-policy']).not.toContain('unsafe');
    expect(page.text).toContain('<h1 id="place-calls">');
  });

  it('has the map of the documentation at its root, whatever path a proxy puts before it', async () => {
    await service.as().get('/guide').expect(308).expect('Location', 'guide/');
    const root = await service.as().get('/guide/').expect(200);
    expect(root.text).toContain('href="operate/upgrades"');
  });

  it('shows files of the repository as text', async () => {
    const file = await service.as().get('/guide/files/docs/price-book.yaml.txt').expect(200);
    expect(file.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(file.text).toContain('prices:');
  });

  it('answers an address without a page by a page that leads back', async () => {
    const missing = await service.as().get('/guide/operate/nothing').expect(404);
    expect(missing.text).toContain('href="../guide.css"');
    expect(missing.text).toContain('<h1>Page not found</h1>');
    expect((await service.as().get('/guide/..%2f..%2f..%2fpackage.json')).status).toBe(404);
  });
});

const withChromium = suiteWith(['chromium']);

withChromium('the guide in a browser', () => {
  let browser: ConsoleBrowser;

  beforeAll(async () => {
    browser = await ConsoleBrowser.open(`${service.baseUrl}/guide/operate/upgrades`, service.browserEndpoint);
  });
  afterAll(() => browser?.close());

  it('finds a page by words of its text, with the keyboard alone', async () => {
    await browser.untilExists('.search:not([hidden])');
    await browser.page.keyboard.press('/');
    await browser.page.keyboard.type('how do I replay deliveries');
    await browser.until(`document.querySelector('.results a')?.textContent.includes('Listing and replaying')`);
    await browser.page.keyboard.press('ArrowDown');
    await browser.page.keyboard.press('Enter');
    await browser.untilText('h1', 'Delivery of webhooks');
    expect(await browser.look('location.pathname + location.hash')).toBe(
      '/guide/webhook-delivery#listing-and-replaying-deliveries',
    );
  });

  it('says when nothing is found', async () => {
    await browser.type('.search input', 'xylophone');
    await browser.untilText('.results', 'Nothing about "xylophone"');
  });

  it('has a menu on a phone, and no serious violation of WCAG in either size', async () => {
    expect(await browser.violations()).toEqual([]);
    await browser.size(390, 844);
    await browser.until(`document.querySelector('.menu').getClientRects().length === 0`);
    expect(await browser.look('document.documentElement.scrollWidth')).toBe(390);
    await browser.press('.menu-button');
    await browser.until(`document.querySelector('.menu [aria-current=page]').getClientRects().length > 0`);
    expect(await browser.violations()).toEqual([]);
    expect(browser.complaints).toEqual([]);
  });
});
