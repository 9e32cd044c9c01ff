import ts from 'typescript';
import type { KubeObject } from './kustomize.js';

const FILE = 'objects.ts';

/**
 * Type errors of the objects as literals of the types of kubernetes-models: mainly unknown fields, which its validators accept.
 */
export function typeProblems(objects: readonly KubeObject[]): string[] {
  const lines = objects.flatMap((object, index) => {
    const from = `kubernetes-models/${object.apiVersion}/${object.kind}`;
    const type = `I${object.kind}`;
    return [
      `import type { ${type} as T${index} } from '${from}';`,
      `export const o${index}: T${index} = ${JSON.stringify(object)};`,
    ];
  });
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es2023.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  };
  const program = ts.createProgram([FILE], options, hostOf(lines.join('\n'), options));
  return ts.getPreEmitDiagnostics(program).map(({ messageText, start, file }) => {
    const index = Math.floor((file?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0) / 2);
    const { kind, metadata } = objects[index] ?? { kind: '', metadata: { name: '' } };
    return `${kind} ${metadata.name}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

/** The file system plus one virtual file. */
function hostOf(text: string, options: ts.CompilerOptions): ts.CompilerHost {
  const disk = ts.createCompilerHost(options);
  return {
    ...disk,
    fileExists: (name) => name.endsWith(FILE) || disk.fileExists(name),
    readFile: (name) => (name.endsWith(FILE) ? text : disk.readFile(name)),
    getSourceFile: (name, target, ...rest) =>
      name.endsWith(FILE) ? ts.createSourceFile(name, text, target) : disk.getSourceFile(name, target, ...rest),
  };
}
