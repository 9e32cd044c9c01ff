/** A part of the script of its own, which the page loads when it draws a flow. */
export { Graph, layout } from '@dagrejs/dagre';
