import { ConsoleBrowser } from './console-browser.js';
import type { Workspace } from './factories.js';
import type { Service } from './service.js';

/** An account of a test file, and the console in which it is signed in. */
export interface StoryConsole {
  own: Workspace;
  browser: ConsoleBrowser;
  /** Requests that were refused, and errors that the page logged. */
  errors: string[];
}

/** Opens the console in the browser of the run, with an account of its own. */
export async function openStoryConsole(service: Service): Promise<StoryConsole> {
  const own = await service.account();
  const browser = await ConsoleBrowser.open('about:blank', service.browserEndpoint);
  const errors: string[] = [];
  browser.page.on('console', (message) => {
    // The browser logs a failed request without its address.
    if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) errors.push(message.text());
  });
  browser.page.on('response', (response) => {
    if (response.status() >= 400)
      errors.push(`${response.status()} ${response.request().method()} ${new URL(response.url()).pathname}`);
  });
  await browser.page.goto(`${service.baseUrl}/console#token=${own.token}`);
  await browser.untilText('h1', 'Overview');
  return { own, browser, errors };
}
