import { describe, expect, it } from '@jest/globals';
import { extractBytes } from '../../../../../test/support/extracted.js';
import { extractHtml } from './html.js';

const read = async (html: string): Promise<string[]> => (await extractBytes(extractHtml, html)).lines;

const sentence = 'Our shop sends parcels to all countries of the union, from the warehouse in the harbour. ';

describe('what a visitor does not read on a web page', () => {
  const secret = 'Secret text of the hidden part, which is long enough to be an answer.';

  it.each<[string, string]>([
    ['a hidden box', `<div hidden>${secret}</div>`],
    ['a box with display:none', `<div style="color:red; display : none">${secret}</div>`],
    ['a box outside the window', `<div style="position:absolute;left:-9999px">${secret}</div>`],
    ['a template', `<template><p>${secret}</p></template>`],
    [
      'a modal dialog',
      `<button data-bs-toggle="modal" data-bs-target="#m">Open</button><div class="modal fade" id="m" aria-hidden="true"><div class="modal-dialog">${secret}</div></div>`,
    ],
    [
      'a dialog',
      `<button aria-haspopup="dialog" aria-expanded="false" aria-controls="d">Open</button><div role="dialog" id="d" hidden>${secret}</div>`,
    ],
    ['a closed dialog element', `<dialog><p>${secret}</p></dialog>`],
    [
      'a drawer',
      `<button data-bs-toggle="offcanvas" data-bs-target="#o" aria-controls="o">Menu</button><div class="offcanvas offcanvas-start" id="o">${secret}</div>`,
    ],
    [
      'a menu behind a button',
      `<nav><button aria-expanded="false" aria-controls="n">Products</button><div id="n" hidden>${secret}</div></nav>`,
    ],
    [
      'a list of languages',
      `<button aria-expanded="false" aria-controls="l">English</button><ul id="l" hidden>${'<li><a href="/x">Secret text</a></li>'.repeat(4)}</ul>`,
    ],
    [
      'a filter',
      '<button aria-expanded="false" aria-controls="f">Filter</button><div id="f" hidden><label><input type="checkbox">Secret text</label></div>',
    ],
    [
      'suggestions of a search field',
      '<input role="combobox" aria-expanded="true" aria-controls="c"><ul id="c" role="listbox" hidden><li role="option">Secret text</li></ul>',
    ],
    [
      'a cookie banner',
      `<div id="cookie-banner">${secret}<button aria-expanded="false" aria-controls="k">Details</button><div id="k" hidden>${secret}</div></div>`,
    ],
    ['the banner of a vendor', `<div id="onetrust-consent-sdk"><h2>Cookies</h2>${secret}</div>`],
  ])('is left out: %s', async (_, hidden) => {
    for (const content of [`<p>${sentence}</p>`, `<h1>Orders</h1><p>${sentence.repeat(10)}</p>`]) {
      const text = (await read(`<html><body>${content}${hidden}</body></html>`)).join('\n');
      expect(text).toContain('Our shop sends parcels');
      expect(text).not.toMatch(/Secret text/);
    }
  });

  it('is read once if it is repeated for screen readers', async () => {
    const html =
      '<p>Price <span aria-hidden=true>10 EUR</span><span class="sr-only">10 EUR</span></p><p><b class="visually-hidden">New</b> <b>New</b></p>';
    expect(await read(html)).toEqual(['p Price 10 EUR', 'p New']);
  });

  it('is read if it is the whole page, hidden until its styles are loaded or behind a dialog', async () => {
    const page = `<div id="page" aria-hidden="true"><main><h1>Orders</h1><p>${sentence.repeat(5)}</p></main></div>`;
    const html = `<html><body style="visibility:hidden">${page}<div role="dialog">Subscribe now</div></body></html>`;
    expect(await read(html)).toEqual(['h1 Orders', `p ${sentence.repeat(5).trim()}`]);
  });
});
