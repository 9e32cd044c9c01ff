import { describe, expect, it } from '@jest/globals';
import { extractBytes } from '../../../../../test/support/extracted.js';
import { extractHtml } from './html.js';

const read = async (html: string): Promise<string[]> => (await extractBytes(extractHtml, html)).lines;

const menu = `<nav><ul>${Array.from({ length: 12 }, (_, n) => `<li><a href="/${n}">Department ${n}</a></li>`).join('')}</ul></nav>`;
const footer = `<footer><ul>${Array.from({ length: 9 }, (_, n) => `<li><a href="/f${n}">Legal notice ${n}</a></li>`).join('')}</ul><p>© Example Ltd</p></footer>`;
const site = (title: string, content: string, scripts = ''): string =>
  `<!doctype html><html><head><title>${title}</title></head><body><header>${menu}</header><main>${content}</main>${footer}${scripts}</body></html>`;
const script = '<script src="/main.js"></script>';
const prose = 'The office is open from Monday to Friday, and visitors register at the desk on the ground floor. ';

const JAVASCRIPT: [string, string][] = [
  [
    'Create React App',
    `<!doctype html><html><head><title>React App</title></head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>${script}</body></html>`,
  ],
  [
    'Vue',
    `<html><head><title>shop</title></head><body><noscript><strong>We're sorry but shop doesn't work properly without JavaScript enabled.</strong></noscript><div id="app"></div>${script}</body></html>`,
  ],
  ['Angular', `<html><head><title>Portal</title></head><body><app-root></app-root>${script}</body></html>`],
  [
    'Angular with a spinner',
    `<body><app-root><div class="spinner"></div><p>Loading, please wait…</p></app-root>${script}</body>`,
  ],
  [
    'Next.js with data only',
    `<body><div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{"props":{"text":"${prose}"}}</script></body>`,
  ],
  ['Nuxt with a loading text', `<body><div id="__nuxt"><div>Wird geladen …</div></div>${script}</body>`],
  ['Gatsby', `<body><div id="___gatsby"><div role="alert">Chargement en cours</div></div>${script}</body>`],
  [
    'a message in the page itself',
    `<body><h1>Please enable JavaScript to view this website.</h1><p>Your browser does not run scripts.</p>${script}</body>`,
  ],
  ['a message in Japanese', `<body><p>このサイトを利用するにはJavaScriptを有効にしてください。</p>${script}</body>`],
  ['a header and a footer around an empty application', site('Portal', '<div id="root"></div>', script)],
  ['a loading text in Russian', `<body><p>Загрузка...</p>${script}</body>`],
];

const NOT_FOUND: [string, string][] = [
  ['English', site('Page not found - Example', '<h1>Page not found</h1><p>If you typed the address, check it.</p>')],
  [
    'WordPress',
    site(
      'Example',
      '<h1>Oops! That page can&rsquo;t be found.</h1><p>It looks like nothing was found at this location. Maybe try a search?</p><form><input name=s></form>',
    ),
  ],
  [
    '404 as its heading',
    site('Example Shop', '<h1>404</h1><h2>Something is missing.</h2><p><a href="/">Back to the home page</a></p>'),
  ],
  ['404 in its title', site('404 | Example', '<p>Nothing to see here.</p>')],
  ['Error 404 in its title', site('Error 404 (Not Found)!!1', '<p>That is an error.</p>')],
  ['one line', '<html><body><center><h1>404 Not Found</h1></center><hr><center>nginx</center></body></html>'],
  ['Next.js', `<body><div id="__next"><h1>404</h1><h2>This page could not be found.</h2></div>${script}</body>`],
  ['GitHub Pages', site('Site not found · GitHub Pages', '<h1>404</h1><p>There is no such site here.</p>')],
  ['Shopify', site('404 Not Found – Shop', '<h1>Page not found</h1><a href="/collections">Continue shopping</a>')],
  [
    'Docusaurus',
    site('Page Not Found | Docs', '<h1>Page Not Found</h1><p>We could not find what you were looking for.</p>'),
  ],
  ['we', site('Example', "<h1>We can't find the page you're looking for</h1>")],
  ['sorry', site('Example', "<h1>Sorry, this page isn't available.</h1><p>The link may be broken.</p>")],
  ['German', site('Seite nicht gefunden – Stadt', '<h1>Seite nicht gefunden</h1><p>Bitte nutzen Sie die Suche.</p>')],
  ['German, as a sentence', site('Stadt', '<h1>Die von Ihnen gesuchte Seite existiert leider nicht mehr.</h1>')],
  ['French', site('Page introuvable', '<h1>Désolé, la page demandée est introuvable</h1>')],
  ['Spanish', site('Página no encontrada', '<h1>Lo sentimos</h1><p>Pruebe con el buscador.</p>')],
  ['Portuguese', site('Site', '<h1>Página não encontrada</h1>')],
  ['Italian', site('Sito', '<h1>Pagina non trovata</h1>')],
  ['Dutch', site('Pagina niet gevonden', '<p>Ga terug.</p>')],
  ['Polish', site('Strona nie została znaleziona', '<p>Wróć.</p>')],
  ['Swedish', site('Sidan hittades inte', '<p>Sök.</p>')],
  ['Danish', site('Siden blev ikke fundet', '<p>Søg.</p>')],
  ['Finnish', site('Sivua ei löytynyt', '<p>Hae.</p>')],
  ['Czech', site('Stránka nenalezena', '<p>Hledat.</p>')],
  ['Hungarian', site('Az oldal nem található', '<p>Keresés.</p>')],
  ['Turkish', site('Sayfa bulunamadı', '<p>Ara.</p>')],
  ['Russian', site('Страница не найдена', '<p>Вернуться.</p>')],
  ['Ukrainian', site('Сторінку не знайдено', '<p>Назад.</p>')],
  ['Greek', site('Η σελίδα δεν βρέθηκε', '<p>Πίσω.</p>')],
  ['Arabic', site('الصفحة غير موجودة', '<p>العودة</p>')],
  ['Hebrew', site('הדף לא נמצא', '<p>חזרה</p>')],
  ['Chinese', site('页面不存在', '<p>返回首页</p>')],
  ['Japanese', site('お探しのページは見つかりませんでした', '<p>戻る</p>')],
  ['Korean', site('페이지를 찾을 수 없습니다', '<p>홈으로</p>')],
  ['Vietnamese', site('Không tìm thấy trang', '<p>Quay lại</p>')],
];

const BLOCKED: [string, string][] = [
  [
    'Cloudflare',
    '<html><head><title>Just a moment...</title></head><body><noscript>Enable JavaScript and cookies to continue</noscript><script>window._cf_chl_opt={}</script></body></html>',
  ],
  [
    'Cloudflare in German',
    '<html><head><title>Nur einen Moment…</title></head><body><h1>example.com</h1><h2>Überprüfung der Sicherheit der Verbindung</h2><script></script></body></html>',
  ],
  [
    'an older Cloudflare',
    '<title>Example</title><body><h1>Checking your browser before accessing example.com.</h1><p>This process is automatic.</p></body>',
  ],
  [
    'a firewall',
    '<html><head><title>Access Denied</title></head><body><h1>Access Denied</h1><p>You don\'t have permission to access "http://example.com/" on this server.</p><p>Reference #18.2d</p></body></html>',
  ],
  [
    'PerimeterX',
    '<html><head><title>Access to this page has been denied</title></head><body><h1>Press &amp; Hold to confirm you are a human</h1></body></html>',
  ],
  [
    'Imperva',
    '<html><head></head><body><iframe src="/_Incapsula_Resource?x=1">Request unsuccessful. Incapsula incident ID: 1</iframe><script src="/_Incapsula_Resource?y=2"></script></body></html>',
  ],
  [
    'a captcha',
    '<html><head><title>Security check</title></head><body><h1>Are you a robot?</h1><p>Please solve the puzzle.</p></body></html>',
  ],
  [
    'a search engine',
    '<html><head><title>https://www.example.com/search</title></head><body><p>Our systems have detected unusual traffic from your computer network.</p></body></html>',
  ],
];

const LOGIN: [string, string][] = [
  [
    'with a password',
    site(
      'Log in - Intranet',
      '<h1>Log in</h1><form><label>Name</label><input name=user><label>Password</label><input type=password></form>',
    ),
  ],
  [
    'with the address first',
    site(
      'Sign in - Accounts',
      '<h1>Sign in</h1><p>to continue to Mail</p><form><input type=email name=identifier></form>',
    ),
  ],
  ['in German', site('Anmelden – Kundenportal', '<form><input type=password></form>')],
  ['of Confluence', site('Log in to Confluence - Wiki', '<form><input type=password></form><p>Forgot it?</p>')],
];

const READ: [string, string][] = [
  ['a short page', site('Hours', '<h1>Opening hours</h1><p>Monday to Friday, 9 to 17.</p>')],
  [
    'a short page of an application that is rendered by the server',
    `<body><div id="__next"><h1>Hours</h1><p>We are open from nine to five.</p></div>${script.repeat(4)}</body>`,
  ],
  [
    'a short page with many scripts',
    `<body><p>Our office is closed today. Please call 123.</p>${script.repeat(6)}</body>`,
  ],
  [
    'a page with an empty element for dialogs',
    site(
      'Hours',
      `<h1>Opening hours</h1><p>${prose.repeat(4)}</p><div id="modal-root"></div><div id="app"></div>`,
      script,
    ),
  ],
  [
    'a page that names JavaScript',
    site('Help', `<h1>Maps</h1><p>The map needs JavaScript.</p><p>${prose.repeat(5)}</p>`, script),
  ],
  [
    'a page with a noscript notice',
    site(
      'Hours',
      `<h1>Opening hours</h1><p>${prose.repeat(3)}</p><noscript>Please enable JavaScript.</noscript>`,
      script,
    ),
  ],
  [
    'an article about 404 errors',
    site(
      '404 Not Found - HTTP | Reference',
      `<h1>404 Not Found</h1><p>The status code tells the client that the server has nothing at the address.</p><p>${prose.repeat(3)}</p>`,
    ),
  ],
  [
    'an article about missing pages',
    site(
      'How to fix "page not found" | Help',
      `<h1>How to fix "page not found"</h1><p>Check the address first. Then clear the cache.</p>`,
    ),
  ],
  ['a long page whose heading is a number', site('404', `<h1>404</h1><p>${prose.repeat(12)}</p>`)],
  ['a company with 404 in its name', site('404 Studios', '<h1>404 Studios</h1><p>We design rooms and furniture.</p>')],
  [
    'a question about a missing product',
    site('Help', '<h1>What to do if a product is not found</h1><p>Scan it again.</p>'),
  ],
  [
    'a contact form with a captcha',
    site(
      'Contact',
      `<h1>Contact</h1><p>${prose}</p><form><label>Please verify that you are human</label><input name=captcha></form>`,
    ),
  ],
  [
    'instructions for signing in',
    site('Log in', `<h1>Log in</h1><ol><li>Open the portal.</li><li>Enter your name.</li></ol>`),
  ],
  [
    'a page with a login in its header',
    site(
      'Prices',
      `<form><input name=user><input type=password><button>Log in</button></form><h1>Prices</h1><p>A day costs 10 euros.</p>`,
    ),
  ],
  [
    'a login page with help',
    site('Log in', `<h1>Log in</h1><form><input type=password></form><p>${prose.repeat(6)}</p>`),
  ],
  [
    'an article about denied access',
    site('Access denied: what to do', `<h1>Access denied: what to do</h1><p>Ask the administrator.</p>`),
  ],
  ['a page that begins with Loading', site('Loading dock', '<h1>Loading dock</h1><p>Deliveries from 6 to 14.</p>')],
];

describe('a web page without its content', () => {
  it.each(JAVASCRIPT)('needs JavaScript: %s', async (_, html) => {
    await expect(read(html)).rejects.toMatchObject({ code: 'PAGE_NEEDS_JAVASCRIPT' });
  });

  it.each(NOT_FOUND)('is an error page with status 200: %s', async (_, html) => {
    await expect(read(html)).rejects.toMatchObject({ code: 'PAGE_NOT_FOUND' });
  });

  it.each(BLOCKED)('is a check for robots: %s', async (_, html) => {
    await expect(read(html)).rejects.toMatchObject({ code: 'PAGE_BLOCKS_ROBOTS' });
  });

  it.each(LOGIN)('is a login: %s', async (_, html) => {
    await expect(read(html)).rejects.toMatchObject({ code: 'PAGE_NEEDS_LOGIN' });
  });

  it.each(READ)('is not confused with %s', async (_, html) => {
    expect((await read(html)).length).toBeGreaterThan(0);
  });
});
