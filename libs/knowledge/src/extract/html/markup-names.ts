/** The elements of HTML (living standard, with obsolete ones that browsers still know) and the outer ones of SVG and MathML. */
export const HTML_ELEMENTS: ReadonlySet<string> = new Set(
  (
    'a abbr acronym address applet area article aside audio b base basefont bdi bdo big blink blockquote body br button canvas caption ' +
    'center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer ' +
    'form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link main map mark ' +
    'marquee math menu meta meter nav nobr noframes noscript object ol optgroup option output p param picture pre progress q rb rp rt rtc ' +
    'ruby s samp script search section select slot small source span strike strong style sub summary sup svg table tbody td template ' +
    'textarea tfoot th thead time title tr track tt u ul var video wbr'
  ).split(' '),
);

/** Elements without an end tag, and those whose end tag may be omitted. */
export const UNCLOSED_ELEMENTS: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr p li td tr th dt dd option thead tbody tfoot rt rp rb'.split(
    ' ',
  ),
);
