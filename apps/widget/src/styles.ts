/** Styles of the panel, in the shadow tree of the widget and on the page /talk. `--accent` is the page's to set. */
export const PANEL_STYLES = `
:host, :root {
  --text: #1c2330; --back: #fff; --soft: #f0f2f5; --line: #7b8494; --strong: var(--trunkline-accent, #1f5fbf); --on: #fff; --end: #b3261e; --note: #7a1b15;
  color-scheme: light;
}
@media (prefers-color-scheme: dark) {
  :host(:not([data-theme=light])), :root:not([data-theme=light]) {
    --text: #e8ebf0; --back: #191d24; --soft: #262c36; --line: #8b95a5; --strong: var(--trunkline-accent, #8ab4f8); --on: #10141a; --end: #f2a19b; --note: #ffb4ab;
    color-scheme: dark;
  }
}
:host([data-theme=dark]), :root[data-theme=dark] {
  --text: #e8ebf0; --back: #191d24; --soft: #262c36; --line: #8b95a5; --strong: var(--trunkline-accent, #8ab4f8); --on: #10141a; --end: #f2a19b; --note: #ffb4ab;
  color-scheme: dark;
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
.call, button, summary { font: 16px/1.4 system-ui, sans-serif; }
.call { color: var(--text); display: flex; flex-direction: column; gap: 12px; min-height: 0; }
h2 { font-size: 18px; margin: 0; padding-right: 40px; }
p { margin: 0; }
.problem { color: var(--note); border-left: 4px solid; padding-left: 12px; }
.words { overflow-y: auto; display: flex; flex-direction: column; gap: 8px; flex: 1 1 auto; min-height: 60px; padding: 4px; }
.words p { background: var(--soft); border-radius: 10px; padding: 8px 12px; margin-right: 32px; }
.words p.user { margin: 0 0 0 32px; }
.words b { display: block; font-size: 13px; }
.meters { display: grid; gap: 4px; margin-bottom: 12px; }
.meters span { display: block; height: 6px; border-radius: 3px; background: var(--strong); transform: scaleX(0); transform-origin: left; transition: transform 90ms linear; }
.meters span + span { background: var(--line); }
.row { display: flex; gap: 8px; }
button { min-height: 44px; padding: 8px 16px; border: 1px solid var(--line); border-radius: 10px; background: var(--back); color: var(--text); cursor: pointer; flex: 1; }
button:disabled { opacity: .6; cursor: default; }
button.end { background: var(--end); border-color: var(--end); color: var(--back); }
button.main { background: var(--strong); border-color: var(--strong); color: var(--on); }
details { margin-top: 12px; }
summary { cursor: pointer; min-height: 24px; }
.keys { display: grid; grid-template-columns: repeat(3, 1fr); gap: 8px; margin-top: 8px; }
:focus-visible { outline: 3px solid var(--strong); outline-offset: 2px; }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
`;

/** Where the widget is on the page of others. */
export const WIDGET_STYLES = `
:host { all: initial; position: fixed; z-index: 2147483000; bottom: 16px; right: 16px; max-width: calc(100vw - 32px); }
:host([data-position=bottom-left]) { right: auto; left: 16px; }
:host([data-position=inline]) { position: static; display: block; }
.box { position: relative; width: 360px; max-width: 100%; max-height: min(560px, calc(100vh - 32px)); display: flex; flex-direction: column; padding: 16px; border: 1px solid var(--line); border-radius: 16px; background: var(--back); box-shadow: 0 8px 32px #0004; }
.launch { width: auto; border-radius: 24px; padding: 12px 24px; font-weight: 600; box-shadow: 0 4px 16px #0004; }
.close { position: absolute; top: 8px; right: 8px; min-height: 40px; width: 40px; padding: 0; border: 0; font-size: 20px; }
.again { margin-top: 12px; flex: none; }
`;

/** The page /talk. */
export const PAGE_STYLES = `
body { margin: 0; min-height: 100dvh; background: var(--back); color: var(--text); display: flex; justify-content: center; }
main { width: 100%; max-width: 560px; height: 100dvh; padding: 24px 16px; display: flex; flex-direction: column; gap: 16px; }
main > button { flex: none; }
h1 { margin: 0; font: 600 22px/1.3 system-ui, sans-serif; }
h2 { display: none; }
.call { flex: 1; }
.words { border: 1px solid var(--line); border-radius: 12px; padding: 12px; }
`;

/** Applies style sheets in a way that no content security policy forbids. */
export function applyStyles(root: Document | ShadowRoot, ...texts: string[]): void {
  root.adoptedStyleSheets = texts.map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
}
