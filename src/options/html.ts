/** HTML that the operator writes and every visitor's browser reads. */
import sanitizeHtml from 'sanitize-html';
import { isWebAddress } from '../core/web-address.ts';

const TEXT = 'a abbr b br code em i img s small span strong sub sup u'.split(' ');
const BLOCKS = 'blockquote div h3 h4 h5 h6 hr li ol p pre ul'.split(' ');
const TABLES = 'table tbody td th thead tr'.split(' ');

/** What a footer is made of: text, links and pictures. Nothing that runs, asks, frames or covers the page. */
const RULES: sanitizeHtml.IOptions = {
  allowedTags: [...TEXT, ...BLOCKS, ...TABLES],
  allowedAttributes: {
    a: ['href', 'title', 'target', 'rel'],
    img: ['src', 'alt', 'title', 'width', 'height'],
    '*': ['lang', 'dir'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https', 'data'] },
  allowProtocolRelative: false,
  transformTags: {
    // A page that opens in its own window must not steer this one.
    a: (tagName, attribs) => ({ tagName, attribs: { ...attribs, rel: 'noopener noreferrer' } }),
  },
};

/** The HTML without anything that could act in a visitor's name. */
export const safeHtml = (html: string): string => sanitizeHtml(html, RULES);

/** A text of its own has headings, which stand below that of the page that shows it. */
const CONTENT_RULES: sanitizeHtml.IOptions = {
  ...RULES,
  allowedTags: [...TEXT, ...BLOCKS, ...TABLES, 'del', 'h2'],
  allowedAttributes: { ...RULES.allowedAttributes, ol: ['start'] },
  transformTags: { ...RULES.transformTags, h1: 'h2' },
};

/**
 * What the operator tells visitors, ready to be shown: the address of a page as it stands, or safe HTML, made of Markdown
 * where the text does not begin as HTML does.
 */
export function safeContent(text: string): string {
  const content = text.trim();
  if (isWebAddress(content) && !/\s/.test(content)) return content;
  return sanitizeHtml(content.startsWith('<') ? content : Bun.markdown.html(content), CONTENT_RULES).trim();
}
