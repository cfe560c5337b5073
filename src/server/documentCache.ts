import type { DocumentNode } from "graphql";

/** A parsed document takes some hundred times the room of its text. */
const keptChars = 128 * 1024;
const longestKeptChars = 8 * 1024;

/**
 * Parsed documents by their text, the ones last used. Bounded by the sum of their texts, not by their number: nobody
 * fills the memory with documents that are all different, and no single long one pushes all others out.
 */
export function createDocumentCache(maxChars = keptChars) {
  const documents = new Map<string, DocumentNode>();
  let chars = 0;

  const forget = (text: string) => {
    if (documents.delete(text)) chars -= text.length;
  };
  return {
    get(text: string): DocumentNode | undefined {
      const document = documents.get(text);
      if (document === undefined) return undefined;
      documents.delete(text);
      documents.set(text, document); // now the one used last
      return document;
    },
    set(text: string, document: DocumentNode): void {
      if (text.length > longestKeptChars) return;
      forget(text);
      documents.set(text, document);
      chars += text.length;
      for (const [oldest] of documents) {
        if (chars <= maxChars) break;
        forget(oldest);
      }
    },
    /** Characters of all texts kept. */
    get chars(): number {
      return chars;
    },
  };
}
