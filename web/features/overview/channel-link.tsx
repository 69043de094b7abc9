import { Link } from '@tanstack/react-router';

/** Leads to the form of a channel. */
export const ChannelLink = ({ id, name }: { id: number; name: string }) => (
  <Link
    to="/channel/edit/$id"
    params={{ id: String(id) }}
    className="quiet-link min-w-0 truncate font-medium text-text"
    title={name}
  >
    {name}
  </Link>
);
