import { describe, expect, it } from '@jest/globals';
import { extractBytes } from '../../../../../test/support/extracted.js';
import { extractHtml } from './html.js';

const read = async (html: string): Promise<string[]> => (await extractBytes(extractHtml, html)).lines;

const sentence = 'Our shop sends parcels to all countries of the union, from the warehouse in the harbour. ';
const menu = `<nav><ul>${'<li><a href="/x">Menu entry</a></li>'.repeat(8)}</ul></nav>`;

interface Answer {
  question: string;
  answer: string;
}

const ANSWERS: Answer[] = [
  { question: 'How long does delivery take?', answer: 'Delivery takes three working days.' },
  { question: 'Can I return goods?', answer: 'Yes, within 30 days, without giving a reason, free of charge.' },
  { question: 'Which cards do you accept?', answer: 'All common ones.' },
];

const each = (item: (answer: Answer & { n: number }) => string): string =>
  ANSWERS.map((answer, index) => item({ ...answer, n: index + 1 })).join('\n');

/** Sections as the common frameworks write them. */
const ACCORDIONS: [string, string][] = [
  [
    'Bootstrap 5',
    `<div class="accordion" id="faq">${each(
      ({ question, answer, n }) => `<div class="accordion-item"><h2 class="accordion-header" id="h${n}">
      <button class="accordion-button collapsed" type="button" data-bs-toggle="collapse" data-bs-target="#c${n}" aria-expanded="false" aria-controls="c${n}">${question}</button></h2>
      <div id="c${n}" class="accordion-collapse collapse" aria-labelledby="h${n}" data-bs-parent="#faq"><div class="accordion-body">${answer}</div></div></div>`,
    )}</div>`,
  ],
  [
    'Bootstrap 4',
    `<div id="accordion">${each(
      ({ question, answer, n }) => `<div class="card"><div class="card-header" id="h${n}"><h5 class="mb-0">
      <button class="btn btn-link" data-toggle="collapse" data-target="#c${n}">${question}</button></h5></div>
      <div id="c${n}" class="collapse" data-parent="#accordion"><div class="card-body"><p>${answer}</p></div></div></div>`,
    )}</div>`,
  ],
  [
    'Bootstrap 3',
    `<div class="panel-group" id="accordion" role="tablist" aria-multiselectable="true">${each(
      ({
        question,
        answer,
        n,
      }) => `<div class="panel panel-default"><div class="panel-heading" role="tab" id="h${n}"><h4 class="panel-title">
      <a role="button" data-toggle="collapse" data-parent="#accordion" href="#c${n}" aria-expanded="true" aria-controls="c${n}">${question}</a></h4></div>
      <div id="c${n}" class="panel-collapse collapse" role="tabpanel" aria-labelledby="h${n}"><div class="panel-body">${answer}</div></div></div>`,
    )}</div>`,
  ],
  [
    'Bootstrap without headings',
    each(
      ({ question, answer, n }) => `<p><a class="btn" data-bs-toggle="collapse" href="#c${n}">${question}</a></p>
      <div class="collapse" id="c${n}"><div class="card card-body">${answer}</div></div>`,
    ),
  ],
  [
    'Foundation',
    `<ul class="accordion" data-accordion>${each(
      ({
        question,
        answer,
      }) => `<li class="accordion-item" data-accordion-item><a href="#" class="accordion-title">${question}</a>
      <div class="accordion-content" data-tab-content><p>${answer}</p></div></li>`,
    )}</ul>`,
  ],
  [
    'Material UI',
    each(
      ({
        question,
        answer,
        n,
      }) => `<div class="MuiPaper-root MuiAccordion-root"><h3 class="MuiAccordion-heading"><button class="MuiButtonBase-root MuiAccordionSummary-root" tabindex="0" type="button" aria-expanded="false" aria-controls="p${n}" id="b${n}">
      <span class="MuiAccordionSummary-content"><span>${question}</span></span><span class="MuiAccordionSummary-expandIconWrapper"><svg><path d="M1"></path></svg></span></button></h3>
      <div class="MuiCollapse-root MuiCollapse-hidden" style="min-height:0px;visibility:hidden"><div class="MuiCollapse-wrapper"><div class="MuiCollapse-wrapperInner"><div aria-labelledby="b${n}" id="p${n}" role="region">
      <div class="MuiAccordionDetails-root"><p>${answer}</p></div></div></div></div></div></div>`,
    ),
  ],
  [
    'Radix',
    `<div data-orientation="vertical">${each(
      ({
        question,
        answer,
        n,
      }) => `<div data-state="closed"><h3 data-state="closed" class="flex"><button type="button" aria-controls="radix-:r${n}:" aria-expanded="false" data-state="closed" id="radix-:t${n}:">${question}<svg></svg></button></h3>
      <div data-state="closed" id="radix-:r${n}:" hidden="" role="region" aria-labelledby="radix-:t${n}:"><div class="pb-4">${answer}</div></div></div>`,
    )}</div>`,
  ],
  [
    'Headless UI',
    `<dl>${each(
      ({
        question,
        answer,
        n,
      }) => `<div><dt><button id="headlessui-:r${n}:" type="button" aria-expanded="false" data-headlessui-state=""><span>${question}</span><span><svg></svg></span></button></dt>
      <dd hidden="" style="display:none"><p>${answer}</p></dd></div>`,
    )}</dl>`,
  ],
  [
    'Vuetify',
    `<div class="v-expansion-panels">${each(
      ({
        question,
        answer,
      }) => `<div class="v-expansion-panel"><button class="v-expansion-panel-title" type="button" aria-expanded="false">${question}<span class="v-expansion-panel-title__icon"><i class="mdi" aria-hidden="true"></i></span></button>
      <div class="v-expansion-panel-text" style="display: none;"><div>${answer}</div></div></div>`,
    )}</div>`,
  ],
  [
    'a Shopify theme',
    each(
      ({
        question,
        answer,
        n,
      }) => `<div class="accordion"><details id="d${n}"><summary role="button" aria-expanded="false" aria-controls="s${n}"><div class="summary__title"><svg></svg><h2 class="h4 accordion__title inline-richtext">${question}</h2></div><svg></svg></summary>
      <div class="accordion__content rte" id="s${n}"><p>${answer}</p></div></details></div>`,
    ),
  ],
  [
    'Elementor',
    `<div class="elementor-accordion">${each(
      ({
        question,
        answer,
        n,
      }) => `<div class="elementor-accordion-item"><div id="t${n}" class="elementor-tab-title" data-tab="${n}" role="button" aria-controls="p${n}" aria-expanded="false">
      <span class="elementor-accordion-icon" aria-hidden="true"><i class="fas fa-plus"></i></span><a class="elementor-accordion-title" tabindex="0">${question}</a></div>
      <div id="p${n}" class="elementor-tab-content elementor-clearfix" data-tab="${n}" role="region" aria-labelledby="t${n}" style="display:none"><p>${answer}</p></div></div>`,
    )}</div>`,
  ],
  [
    'WordPress plugins',
    each(
      ({ question, answer, n }) =>
        `<div class="schema-faq-section" id="f${n}"><strong class="schema-faq-question">${question}</strong><p class="schema-faq-answer">${answer}</p></div>`,
    ),
  ],
  [
    'GOV.UK',
    `<div class="govuk-accordion" data-module="govuk-accordion">${each(
      ({
        question,
        answer,
        n,
      }) => `<div class="govuk-accordion__section"><div class="govuk-accordion__section-header"><h2 class="govuk-accordion__section-heading"><button type="button" aria-controls="a${n}" class="govuk-accordion__section-button" aria-expanded="false" aria-label="${question}, Show this section">
      <span class="govuk-accordion__section-heading-text">${question}</span><span class="govuk-accordion__section-toggle" data-nosnippet=""><span class="govuk-accordion__section-toggle-text">Show</span></span></button></h2></div>
      <div id="a${n}" class="govuk-accordion__section-content" hidden="until-found"><p class="govuk-body">${answer}</p></div></div>`,
    )}</div>`,
  ],
  [
    'Confluence',
    each(
      ({
        question,
        answer,
        n,
      }) => `<div id="e${n}" class="expand-container conf-macro"><div id="ec${n}" class="expand-control" aria-expanded="false" role="button"><span class="expand-control-icon">&nbsp;</span><span class="expand-control-text">${question}</span></div>
      <div id="ex${n}" class="expand-content expand-hidden" aria-hidden="true"><p>${answer}</p></div></div>`,
    ),
  ],
  [
    'the W3Schools tutorial',
    each(
      ({ question, answer }) =>
        `<button class="accordion">${question}</button><div class="panel"><p>${answer}</p></div>`,
    ),
  ],
  [
    'the ARIA guide, with all panels after all buttons',
    `<div class="left">${each(({ question, n }) => `<button aria-expanded="false" aria-controls="sect${n}">${question}</button>`)}</div>
    <div class="right">${each(({ answer, n }) => `<div id="sect${n}" role="region" hidden><p>${answer}</p></div>`)}</div>`,
  ],
  [
    'a plus sign beside the question',
    each(
      ({ question, answer, n }) =>
        `<div class="row"><span>${question}</span><button aria-expanded="false" aria-controls="x${n}">+</button></div><div id="x${n}" aria-hidden="true">${answer}</div>`,
    ),
  ],
  ['details', each(({ question, answer }) => `<details><summary>${question}</summary>${answer}</details>`)],
  ['a definition list', `<dl>${each(({ question, answer }) => `<dt>${question}</dt><dd>${answer}</dd>`)}</dl>`],
  [
    'list items with buttons that are questions',
    `<ul>${each(({ question, answer }) => `<li><button type="button">${question}</button><div style="display:none">${answer}</div></li>`)}</ul>`,
  ],
  [
    'tabs of Bootstrap',
    `<ul class="nav nav-tabs" role="tablist">${each(({ question, n }) => `<li class="nav-item" role="presentation"><button class="nav-link" id="t${n}" data-bs-toggle="tab" data-bs-target="#p${n}" type="button" role="tab" aria-controls="p${n}" aria-selected="false">${question}</button></li>`)}</ul>
    <div class="tab-content">${each(({ answer, n }) => `<div class="tab-pane fade" id="p${n}" role="tabpanel" aria-labelledby="t${n}"><p>${answer}</p></div>`)}</div>`,
  ],
  [
    'tabs of Docusaurus, which have no ids',
    `<div class="tabs-container"><ul role="tablist" aria-orientation="horizontal" class="tabs">${each(({ question }) => `<li role="tab" tabindex="-1" aria-selected="false" class="tabs__item">${question}</li>`)}</ul>
    <div class="margin-top--md">${each(({ answer }) => `<div role="tabpanel" class="tabItem" hidden=""><p>${answer}</p></div>`)}</div></div>`,
  ],
  [
    'tabs of MkDocs',
    `<div class="tabbed-set tabbed-alternate">${each(({ n }) => `<input id="__t_${n}" name="__t" type="radio">`)}<div class="tabbed-labels">${each(({ question, n }) => `<label for="__t_${n}">${question}</label>`)}</div>
    <div class="tabbed-content">${each(({ answer }) => `<div class="tabbed-block"><p>${answer}</p></div>`)}</div></div>`,
  ],
  [
    'tabs of WooCommerce',
    `<div class="woocommerce-tabs wc-tabs-wrapper"><ul class="tabs wc-tabs" role="tablist">${each(({ question, n }) => `<li class="d_tab" id="tab-title-${n}" role="tab" aria-controls="tab-${n}"><a href="#tab-${n}">${question}</a></li>`)}</ul>
    ${each(({ answer, n }) => `<div class="woocommerce-Tabs-panel panel entry-content wc-tab" id="tab-${n}" role="tabpanel" aria-labelledby="tab-title-${n}" style="display:none"><p>${answer}</p></div>`)}</div>`,
  ],
  [
    'tabs of jQuery UI',
    `<div id="tabs"><ul class="tabs">${each(({ question, n }) => `<li><a href="#tabs-${n}">${question}</a></li>`)}</ul>${each(({ answer, n }) => `<div id="tabs-${n}"><p>${answer}</p></div>`)}</div>`,
  ],
];

const PAGES: [string, (content: string) => string][] = [
  ['alone', (content) => content],
  [
    'in an article',
    (
      content,
    ) => `<!doctype html><html><head><title>Orders - Shop</title></head><body><header class="header"><button class="navbar-toggler" data-bs-toggle="collapse" data-bs-target="#menu" aria-expanded="false" aria-controls="menu">Menu</button><div class="collapse" id="menu">${menu}</div></header>
      <main><h1>Orders</h1><p>${sentence.repeat(8)}</p>${content}<p>${sentence.repeat(4)}</p><button>Add to cart</button></main>${menu}<footer>Imprint</footer></body></html>`,
  ],
  [
    'as the only content of a page with a long menu',
    (content) =>
      `<html><head><title>Questions - Shop</title></head><body>${menu}<div class="page"><div class="extra-header"><h1>Questions</h1></div><section class="faq-widget">${content}</section></div>${menu.repeat(4)}</body></html>`,
  ],
];

describe('the sections of a web page', () => {
  for (const [where, pageWith] of PAGES) {
    it.each(ACCORDIONS)(`keep question and answer, %s, ${where}`, async (_, content) => {
      const lines = await read(pageWith(content));
      const text = lines.map((line) => line.replace(/^p - /, 'p '));
      for (const { question, answer } of ANSWERS) {
        const at = text.findIndex((line) => /^h[2-6] /.test(line) && line.slice(3) === question);
        expect([question, text[at + 1]]).toEqual([question, `p ${answer}`]);
      }
      expect(text.filter((line) => line.includes('delivery take'))).toHaveLength(1);
      expect(lines.join('\n')).not.toMatch(/Add to cart|^p Menu$/m);
    });
  }
});

describe('the answers that a page has only for search engines', () => {
  const data = (answers: Answer[]): string =>
    `<script type="application/ld+json">${JSON.stringify({
      '@context': 'https://schema.org',
      '@graph': [
        {
          '@type': 'FAQPage',
          mainEntity: answers.map(({ question, answer }) => ({
            '@type': 'Question',
            name: question,
            acceptedAnswer: { '@type': 'Answer', text: `<p>${answer}</p>` },
          })),
        },
      ],
    })}</script>`;
  const lines = ANSWERS.flatMap(({ question, answer }) => [`h3 ${question}`, `p ${answer}`]);

  it('are read below the questions of an accordion whose panels are built later', async () => {
    const accordion = each(
      ({ question, n }) =>
        `<div><h3><button aria-controls="radix-${n}" aria-expanded="false">${question}</button></h3><div id="radix-${n}" role="region" hidden></div></div>`,
    );
    expect(await read(accordion + data(ANSWERS))).toEqual(lines);
    const article = await read(PAGES[1]![1](accordion + data(ANSWERS)));
    expect(article).toEqual(expect.arrayContaining(lines));
  });

  it('are read at the end without a question in the page, and only once if the page shows them', async () => {
    const [first, second] = ANSWERS;
    const shown = `<h3>${first!.question}</h3><p>${first!.answer}</p>`;
    expect(await read(shown + data([first!, second!]))).toEqual([
      `h3 ${first!.question}`,
      `p ${first!.answer}`,
      `h2 ${second!.question}`,
      `p ${second!.answer}`,
    ]);
  });

  it('are ignored if the data is damaged', async () => {
    const damaged = '<script type="application/ld+json">{"@type":"FAQPage","acceptedAnswer":</script>';
    expect(await read(`<p>${sentence}</p>${damaged}`)).toEqual([`p ${sentence.trim()}`]);
  });
});

describe('the headings of sections', () => {
  it.each<[string, string, string[]]>([
    [
      'are below those around them',
      '<h2>Help</h2><details><summary>Payment</summary><details><summary>Cards?</summary>All.</details><h2>Cash</h2><p>No.</p></details>',
      ['h2 Help', 'h3 Payment', 'h4 Cards?', 'p All.', 'h4 Cash', 'p No.'],
    ],
    [
      'are not repeated if the panel begins with them',
      '<ul role=tablist><li role=tab aria-controls=a>Size</li><li role=tab aria-controls=b>Care</li></ul><div id=a role=tabpanel><h3>Size</h3><p>Small.</p></div><div id=b role=tabpanel hidden><p>Cold.</p></div>',
      ['h3 Size', 'p Small.', 'h2 Care', 'p Cold.'],
    ],
    [
      'do not include the text after their section',
      '<h2>Shipping</h2><p>By post.</p><details><summary>Abroad</summary>By ship.</details><p>Parcels are insured.</p>',
      ['h2 Shipping', 'p By post.', 'h3 Abroad', 'p By ship.', 'h2 Shipping', 'p Parcels are insured.'],
    ],
    [
      'are not made of labels without a subject',
      '<p>We repair watches. <a href="#m" role=button aria-expanded=false aria-controls=m>Read more</a></p><div id=m hidden><p>And clocks.</p></div>',
      ['p We repair watches.', 'p And clocks.'],
    ],
    [
      'end with the panel, not with the box around it',
      `<div><button aria-expanded=false aria-controls=p>Contents</button></div><div><p>We repair watches, also old ones, in our own workshop.</p><div id=p hidden><p>Two chapters.</p></div><p>Bring them along.</p></div>`,
      [
        'p We repair watches, also old ones, in our own workshop.',
        'h2 Contents',
        'p Two chapters.',
        'p Bring them along.',
      ],
    ],
    [
      'are separated from panels inside them',
      '<h3><button aria-expanded=false aria-controls=p>Abroad</button><div id=p hidden>By ship.</div></h3><dl><dt><button aria-expanded=false aria-controls=q>Inland</button><div id=q hidden>By rail.</div></dt></dl>',
      ['h3 Abroad', 'p By ship.', 'h2 Inland', 'p By rail.'],
    ],
    [
      'are the only button of a heading, not one beside it',
      '<h2>Install <button>Copy link</button></h2><p>Run it.</p><h3><button>Remove</button></h3><p>Stop it.</p>',
      ['h2 Install', 'p Run it.', 'h3 Remove', 'p Stop it.'],
    ],
    [
      'have no signs of links to themselves',
      '<h2>Install<a class=headerlink href="#install">¶</a></h2><p>Run it.</p>',
      ['h2 Install', 'p Run it.'],
    ],
    [
      'are questions and long explanations of definition lists, not short facts',
      '<dl><dt>Weight</dt><dd>2 kg</dd><dt>Colour:</dt><dd>red</dd><dt>Is it new?</dt><dd>Yes.</dd></dl>',
      ['p Weight: 2 kg', 'p Colour: red', 'h2 Is it new?', 'p Yes.'],
    ],
  ])('%s', async (_, html, expected) => expect(await read(html)).toEqual(expected));
});

describe('a hostile web page of sections', () => {
  const panels = (count: number, item: (n: number) => string): string =>
    Array.from({ length: count }, (_, n) => item(n)).join('');

  it.each([
    [
      'accordions',
      panels(
        4_000,
        (n) => `<button aria-expanded=false aria-controls=p${n}>Q ${n}?</button><div id=p${n} hidden>text</div>`,
      ),
    ],
    [
      'buttons of one panel',
      `${'<button aria-expanded=false aria-controls=p>Q</button>'.repeat(8_000)}<div id=p hidden>text</div>`,
    ],
    [
      'tabs',
      `<ul role=tablist>${'<li role=tab>t</li>'.repeat(4_000)}</ul><div>${'<div role=tabpanel hidden>text</div>'.repeat(4_000)}</div>`,
    ],
    ['lists of tabs', `${'<ul role=tablist><li role=tab>t</li></ul>'.repeat(4_000)}<div role=tabpanel>text</div>`],
    ['nested details', `${'<details><summary>Question</summary>'.repeat(180)}text`],
    ['nested details of headings', `${'<details><summary>Question</summary><h2>text</h2>'.repeat(180)}text`],
    ['definitions', `<dl>${'<dt>Question?</dt><dd>text</dd>'.repeat(4_000)}</dl>`],
    ['texts for screen readers', '<b class=sr-only>text</b>'.repeat(8_000)],
    ['hidden boxes', `${'<p hidden>no</p>'.repeat(8_000)}text`],
    ['list items', `<ol reversed type=i>${'<li>text</li>'.repeat(8_000)}</ol>`],
    ['questions without ARIA', panels(4_000, (n) => `<button>Question ${n}?</button><p>text</p>`)],
  ])(
    'is read in linear time: %s',
    async (_, html) => {
      expect((await read(html)).join(' ')).toContain('text');
    },
    30_000,
  );
});
