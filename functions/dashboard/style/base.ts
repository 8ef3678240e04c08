/** Colours, type and the elements of HTML. Colour shows states only, and never alone. Five sizes of type in all. */
export const base = `
:root{color-scheme:light dark;
--bg:#f5f6f8;--panel:#fff;--sunk:#f0f2f5;--ink:#12171d;--dim:#55606c;--line:#dfe3e8;--edge:#88929d;
--accent:#3949d0;--on-accent:#fff;--focus:#3949d0;
--ok:#0a6b45;--warn:#8a4f00;--bad:#b3221f;--ok-bg:#e2f4ea;--warn-bg:#fcefd6;--bad-bg:#fce5e3;
--s1:#4f5fe6;--s2:#d98a0b;--s3:#cf3f3a;--s4:#8b96a3;
--t1:.8125rem;--t2:.9375rem;--t3:1.125rem;--t4:1.5rem;--t5:2rem;
--sans:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
@media (prefers-color-scheme:dark){:root{
--bg:#0e1216;--panel:#161b21;--sunk:#1d242c;--ink:#e7ebef;--dim:#9ba6b2;--line:#2a323b;--edge:#6b7783;
--accent:#9aa7ff;--on-accent:#0e1216;--focus:#b6c0ff;
--ok:#63d3a2;--warn:#f2bb5e;--bad:#ff918b;--ok-bg:#11291f;--warn-bg:#2e2411;--bad-bg:#361c1b;
--s1:#8290ff;--s2:#e7a53f;--s3:#ef6f69;--s4:#73808d}}
*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--ink);font:var(--t2)/1.55 var(--sans);font-variant-numeric:tabular-nums;overflow-wrap:break-word}
h1,h2,h3{line-height:1.25;letter-spacing:-.012em;font-weight:640;margin:0}
h1{font-size:var(--t4)}h2{font-size:var(--t3)}h3{font-size:var(--t2)}
p,ul,ol,dl,figure,blockquote{margin:0}ul,ol{padding-left:1.25rem}
small{font-size:var(--t1);color:var(--dim);font-weight:400}
a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:.18em;text-decoration-color:color-mix(in srgb,currentColor 40%,transparent)}
a:hover{text-decoration-color:currentColor}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px;border-radius:4px}
main:focus{outline:none}
code,pre,kbd{font:.92em/1.5 var(--mono)}
code{overflow-wrap:anywhere}
pre{margin:0;padding:.875rem 1rem;background:var(--sunk);border-radius:8px;white-space:pre-wrap;overflow-wrap:anywhere}
pre code{font-size:var(--t1)}
table{width:100%;border-collapse:collapse}
caption{text-align:left;color:var(--dim);font-size:var(--t1);padding-bottom:.25rem}
th,td{padding:.5rem .875rem .5rem 0;border-top:1px solid var(--line);vertical-align:baseline;text-align:left}
th:last-child,td:last-child{padding-right:0}
thead th{border-top:0;color:var(--dim);font-size:var(--t1);font-weight:500;white-space:nowrap}
tbody th{font-weight:500}
td.n,th.n{text-align:right;white-space:nowrap}
td.n+td:not(.n),th.n+th:not(.n){padding-left:1.25rem}
summary{cursor:pointer;color:var(--accent)}
summary:hover{text-decoration:underline}
input,select,textarea,button{font:inherit;color:inherit}
input:not([type=checkbox],[type=radio],[type=hidden]),select,textarea{width:100%;min-height:2.5rem;padding:.4rem .75rem;background:var(--panel);border:1px solid var(--edge);border-radius:8px}
input::placeholder{color:var(--dim);opacity:1}
[aria-invalid=true]{border-color:var(--bad)!important}
button,a.button{display:inline-flex;align-items:center;justify-content:center;gap:.35em;min-height:2.5rem;padding:.4rem 1rem;background:var(--panel);color:var(--ink);border:1px solid var(--edge);border-radius:8px;font-weight:550;text-decoration:none;cursor:pointer;white-space:nowrap}
button:hover,a.button:hover{border-color:var(--ink)}
.primary,a.button.primary{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
.primary:hover,a.button.primary:hover{border-color:var(--ink)}
.danger,a.button.danger{color:var(--bad);border-color:var(--bad)}
.danger:hover,a.button.danger:hover{background:var(--bad-bg)}
.plain{min-height:0;padding:.25rem .4rem;background:none;border-color:transparent;color:var(--dim);font-weight:400;text-decoration:underline;text-underline-offset:.18em}
`;
