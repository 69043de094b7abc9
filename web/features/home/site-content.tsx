/** What the operator tells visitors, as the server made it ready: safe HTML, or the address of a page. */
import { isWebAddress } from '@core/web-address.ts';

/** Headings, lists and tables as the rest of the console draws them. */
const PROSE =
  'site-content break-words [&_a]:text-accent-text [&_blockquote]:border-l-2 [&_blockquote]:border-line [&_blockquote]:pl-3 [&_code]:font-mono [&_code]:text-sm [&_h2]:mt-4 [&_h2]:mb-1.5 [&_h2]:text-lg [&_h2]:font-semibold [&_h3]:mt-3 [&_h3]:mb-1 [&_h3]:font-semibold [&_img]:max-w-full [&_ol]:pl-5 [&_p]:my-2 [&_pre]:overflow-x-auto [&_pre]:rounded-md [&_pre]:bg-sunken [&_pre]:p-3 [&_td]:border [&_td]:border-line [&_td]:px-2 [&_td]:py-1 [&_th]:border [&_th]:border-line [&_th]:px-2 [&_th]:py-1 [&_th]:text-left [&_ul]:pl-5 [&>*:first-child]:mt-0 [&>*:last-child]:mb-0';

interface SiteContentProps {
  content: string;
  /** Names the frame. */
  label: string;
}

export function SiteContent({ content, label }: SiteContentProps) {
  if (!isWebAddress(content)) {
    // Root alone may write it, and the server has taken out whatever acts; scripts in it are stopped by the policy too.
    // biome-ignore lint/security/noDangerouslySetInnerHtml: that is what the option is for
    return <div className={PROSE} dangerouslySetInnerHTML={{ __html: content }} />;
  }
  // It may run its own scripts and open windows of its own, but has no origin here and steers no page but itself.
  return (
    <iframe
      src={content}
      title={label}
      sandbox="allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox"
      referrerPolicy="no-referrer"
      loading="lazy"
      className="h-[560px] w-full rounded-md border border-line bg-surface max-md:h-[70vh]"
    />
  );
}
