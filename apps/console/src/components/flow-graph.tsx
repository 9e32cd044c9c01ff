import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { type FlowShape, type GraphEdge, type GraphNode, shortened } from '../logic/flow-graph.js';
import type { StepKey } from '../logic/flow-form.js';
import { messageOf } from '../api/client.js';

const NODE = { width: 158, height: 54 };
const MAX_LABEL = 18;
/** A wide graph is drawn smaller, as long as it can be read; then it scrolls. */
const MIN_SCALE = 0.8;
/** Of a character of a label, in pixels. */
const CHARACTER = 6.3;
const LABEL_HEIGHT = 18;

interface Place {
  x: number;
  y: number;
}

interface Drawing {
  width: number;
  height: number;
  places: ReadonlyMap<StepKey, Place>;
  edges: readonly { edge: GraphEdge; points: readonly Place[]; label: Place; text: string }[];
}

const draw = async ({ nodes, edges }: FlowShape): Promise<Drawing> => {
  const { Graph, layout } = await import('../logic/graph-library.js');
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 20, ranksep: 26, edgesep: 10, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { key } of nodes) graph.setNode(String(key), { ...NODE });
  const texts = edges.map(({ label }) => shortened(label, MAX_LABEL));
  for (const [index, { from, to }] of edges.entries()) {
    const width = (texts[index] ?? '').length * CHARACTER + 10;
    graph.setEdge(String(from), String(to), { width, height: LABEL_HEIGHT, labelpos: 'c' }, String(index));
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    ...{ width, height },
    places: new Map(nodes.map(({ key }) => [key, graph.node(String(key)) as Place])),
    edges: edges.map((edge, index) => {
      const found = graph.edge(String(edge.from), String(edge.to), String(index)) as Place & { points: Place[] };
      return { edge, points: found.points, label: { x: found.x, y: found.y }, text: texts[index] ?? '' };
    }),
  };
};

/** How a step is marked. */
export interface StepMark {
  /** For people: `2 errors`, `now`. */
  text: string;
  kind: 'bad' | 'live' | 'passed';
}

interface FlowGraphParts {
  shape: FlowShape;
  label: string;
  marks?: ReadonlyMap<StepKey, StepMark>;
  /** Absent: steps cannot be chosen. */
  onChoose?: (key: StepKey) => void;
  chosen?: StepKey;
}

/** The steps of a flow and the ways between them. */
export function FlowGraph({ shape, label, marks = new Map(), onChoose, chosen }: FlowGraphParts): VNode {
  const drawing = useSignal<Drawing | undefined>(undefined);
  const trouble = useSignal<unknown>(undefined);
  // Texts of nodes do not move anything.
  const key = JSON.stringify([shape.nodes.map((node) => node.key), shape.edges]);
  useEffect(() => {
    let isCurrent = true;
    const redraw = async (): Promise<void> => {
      const drawn = await draw(shape);
      if (isCurrent) drawing.value = drawn;
    };
    redraw().catch((error: unknown) => {
      if (isCurrent) trouble.value = error;
    });
    return () => {
      isCurrent = false;
    };
  }, [key]);
  const place = useRef<HTMLDivElement>(null);
  const scale = useSignal(1);
  const shown = chosen ?? [...marks].find(([, { kind }]) => kind === 'live')?.[0] ?? shape.nodes[0]?.key;
  useLayoutEffect(() => {
    const [view, size] = [place.current, drawing.value];
    const at = shown === undefined ? undefined : size?.places.get(shown);
    if (!view || !size || !at) return;
    scale.value = Math.min(1, Math.max(MIN_SCALE, view.clientWidth / size.width));
    view.scrollTo(at.x * scale.value - view.clientWidth / 2, at.y * scale.value - view.clientHeight / 2);
  }, [drawing.value, shown]);
  if (trouble.value !== undefined) return <p class="field-error">{messageOf(trouble.value)}</p>;
  const { value: drawn } = drawing;
  if (!drawn) return <p class="waiting">Loading the graph…</p>;
  return (
    <div ref={place} class="flow-graph" role="group" aria-label={label} tabIndex={0} data-part="flow-graph">
      <div class="flow-canvas" style={{ width: `${drawn.width}px`, height: `${drawn.height}px`, zoom: scale.value }}>
        <Ways drawn={drawn} />
        {shape.nodes.map((node) => (
          <Node
            key={node.key}
            node={node}
            place={drawn.places.get(node.key)}
            mark={marks.get(node.key)}
            isChosen={chosen === node.key}
            onChoose={onChoose && (() => onChoose(node.key))}
          />
        ))}
      </div>
    </div>
  );
}

const lineOf = (points: readonly Place[]): string =>
  points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join(' ');

/** The ways are also in the forms and lists of the steps: they are a picture only. */
const Ways = ({ drawn }: { drawn: Drawing }): VNode => (
  <svg width={drawn.width} height={drawn.height} aria-hidden="true" focusable="false">
    <defs>
      <marker id="flow-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
        <path d="M0 0 8 4 0 8z" />
      </marker>
    </defs>
    {drawn.edges.map(({ edge, points }, index) => (
      <path key={index} class={`way ${edge.by}`} d={lineOf(points)} marker-end="url(#flow-arrow)" />
    ))}
    {drawn.edges.map(({ edge, label, text }, index) => (
      <g key={index} class="way-label">
        <title>{edge.label}</title>
        <rect
          x={label.x - (text.length * CHARACTER) / 2 - 3}
          y={label.y - LABEL_HEIGHT / 2}
          width={text.length * CHARACTER + 6}
          height={LABEL_HEIGHT}
          rx={4}
        />
        <text x={label.x} y={label.y + 4} text-anchor="middle">
          {text}
        </text>
      </g>
    ))}
  </svg>
);

interface NodeParts {
  node: GraphNode;
  place: Place | undefined;
  mark: StepMark | undefined;
  isChosen: boolean;
  onChoose: (() => void) | undefined;
}

const SIGNS: Record<GraphNode['kind'], string> = { exits: '', transfer: '↗', say: '“', end: '■', handoff: '⇄' };

function Node({ node, place, mark, isChosen, onChoose }: NodeParts): VNode | null {
  if (!place) return null;
  const parts = {
    class: `flow-node ${node.kind}${mark ? ` ${mark.kind}` : ''}`,
    'data-step': node.name,
    style: {
      left: `${place.x - NODE.width / 2}px`,
      top: `${place.y - NODE.height / 2}px`,
      width: `${NODE.width}px`,
      height: `${NODE.height}px`,
    },
    title: `${node.name}: ${node.does}`,
  };
  const content = (
    <>
      <span class="flow-name">
        {node.isStart && <span class="flow-start">Start</span>}
        <span>{node.name}</span>
        {mark && <span class="flow-mark">{mark.text}</span>}
      </span>
      <span class="flow-does">
        {SIGNS[node.kind] !== '' && <span aria-hidden="true">{SIGNS[node.kind]} </span>}
        {node.does}
      </span>
    </>
  );
  if (!onChoose) return <div {...parts}>{content}</div>;
  return (
    <button type="button" {...parts} aria-pressed={isChosen} onClick={onChoose}>
      {content}
    </button>
  );
}
