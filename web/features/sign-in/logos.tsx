/** The marks of third parties, in the colour of the text beside them. */
import { KeyRound } from 'lucide-react';
import type { ReactNode } from 'react';

export interface LogoProps {
  className?: string;
}

const Mark = ({ className, children }: LogoProps & { children: ReactNode }) => (
  <svg
    viewBox="0 0 16 16"
    width="16"
    height="16"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.5"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    className={className}
  >
    {children}
  </svg>
);

/** A cat's head. */
export const GitHubLogo = (props: LogoProps) => (
  <Mark {...props}>
    <path d="M3.2 5.6 3 2.4l2.7 1.2a7 7 0 0 1 4.6 0L13 2.4l-.2 3.2A4.3 4.3 0 0 1 13.6 8c0 2.7-2.3 4.1-5.6 4.1S2.4 10.7 2.4 8c0-.9.3-1.7.8-2.4Z" />
    <path d="M5.9 8.2v.9M10.1 8.2v.9M6.4 12.2v1.9M9.6 12.2v1.9" />
  </Mark>
);

/** A round G. */
export const GoogleLogo = (props: LogoProps) => (
  <Mark {...props}>
    <path d="M12.3 3.6A6 6 0 1 0 14 8H8.4" />
  </Mark>
);

export const OidcLogo = ({ className }: LogoProps) => (
  <KeyRound size={16} strokeWidth={1.5} aria-hidden="true" className={className} />
);

/** A disc of three bands. */
export const LinuxDoLogo = (props: LogoProps) => (
  <Mark {...props}>
    <circle cx="8" cy="8" r="6" />
    <path d="M2.6 5.4h10.8M2.6 10.6h10.8" />
  </Mark>
);
