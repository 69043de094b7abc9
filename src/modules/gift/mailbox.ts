/** Two names of one service. */
const GMAIL = ['gmail.com', 'googlemail.com'];

/**
 * The mailbox that receives what is sent to an address in small letters: without the tag behind a plus (RFC 5233, as most
 * providers have it), and at Gmail, which overlooks them (support.google.com/mail/answer/7436150), without dots. Where a
 * provider makes two mailboxes of them, their owners share a gift.
 */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf('@');
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  const untagged = local.split('+')[0] || local;
  return GMAIL.includes(domain) ? `${untagged.replaceAll('.', '')}@gmail.com` : `${untagged}@${domain}`;
}
