import { attribute, ELEMENT, headingLevel, type HtmlNode, nameOf, roleOf, SILENT, TEXT } from './html-dom.js';

/** The parts around the content of a page, and the characters of its content that are not lists of links. */
interface PageEdges {
  edges: ReadonlySet<HtmlNode>;
  prose: number;
}

interface Extent {
  text: number;
  linked: number;
  links: number;
  /** Characters outside lists of links. */
  prose: number;
  /** Contains the main heading or the main part of the page. */
  isMain: boolean;
}

const MENU_LINKS = 5;
const MENU_SHARE = 0.7;
const LINK_SHARE = 0.5;
const EDGE_ROLE = /^(?:navigation|menu|menubar|search|toolbar)$/;
const EDGE_CLASS =
  /(?:^|[\s_-])(?:comments?|disqus|related|shar(?:e|ing)|social|newsletter|promo|ads?|advert\w*|skip-?link|subscribe)(?:$|[\s_-])/i;
/** The menu of a restaurant is not one of links. */
const LINKS_CLASS =
  /(?:^|[\s_-])(?:nav|navbar|navigation|menu|sidebar|breadcrumbs?|pagination|pager|header|footer)(?:$|[\s_-])/i;

/** Menus, comments, side bars; navigation, headers, footers and asides that are mostly links. One visit of each node. */
export function edgesOf(root: HtmlNode): PageEdges {
  const edges = new Set<HtmlNode>();
  const visit = (node: HtmlNode): Extent => {
    if (node.nodeType === TEXT) return ofText((node.nodeValue ?? '').replace(/\s+/g, ' ').trim().length);
    const name = nameOf(node);
    const extent: Extent = { ...ofText(0), isMain: name === 'MAIN' || name === 'ARTICLE' || headingLevel(node) === 1 };
    if (SILENT.has(name)) return extent;
    for (const child of node.childNodes) add(extent, visit(child));
    if (name === 'A') return { ...extent, linked: extent.text, links: 1 };
    if (node.nodeType !== ELEMENT || extent.isMain) return extent;
    if (isEdge(node, extent)) {
      edges.add(node);
      return ofText(0);
    }
    return isLinks(extent, MENU_LINKS, MENU_SHARE) ? ofText(0) : extent;
  };
  const { prose } = visit(root);
  return { edges, prose };
}

const ofText = (length: number): Extent => ({ text: length, linked: 0, links: 0, prose: length, isMain: false });

function add(sum: Extent, { text, linked, links, prose, isMain }: Extent): void {
  sum.text += text;
  sum.linked += linked;
  sum.links += links;
  sum.prose += prose;
  sum.isMain ||= isMain;
}

const isLinks = ({ text, linked, links }: Extent, fewest: number, share: number): boolean =>
  links >= fewest && linked > share * text;

function isEdge(node: HtmlNode, extent: Extent): boolean {
  const name = nameOf(node);
  if (EDGE_ROLE.test(roleOf(node))) return true;
  if (name === 'BODY' || name === 'HTML' || headingLevel(node) > 0) return false;
  const names = [attribute(node, 'class'), attribute(node, 'id')];
  const isAround =
    /^(?:NAV|HEADER|FOOTER|ASIDE)$/.test(name) ||
    /^(?:banner|contentinfo|complementary)$/.test(roleOf(node)) ||
    names.some((text) => LINKS_CLASS.test(text));
  return isAround ? isLinks(extent, 1, LINK_SHARE) : names.some((text) => EDGE_CLASS.test(text));
}
