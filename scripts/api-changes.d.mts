export interface ApiDocument {
  openapi: string;
  info: { version: string };
  paths: Record<string, object>;
  webhooks?: Record<string, object>;
  components: { schemas: Record<string, object> };
}
export function breakingChanges(before: ApiDocument, after: ApiDocument): string[];
export function contractOf(document: ApiDocument): ApiDocument;
export function complaints(state: { changelog: string; released?: ApiDocument; current: ApiDocument }): string[];
export function check(root: string): string[];
