/** Throws when a key does not stay inside the storage. */
export function checkedKey(key: string): string {
  const parts = key.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) {
    throw new Error('The storage key leaves the storage.');
  }
  return key;
}
