/** The looks on a phone, on paper and offline. They come last, so that they override everything. */
export const fold = `
@media (max-width:44rem){
.axis{font-size:19px}
.top{flex-wrap:wrap;padding:.75rem 1rem;gap:.5rem 1rem}
.find{order:3;flex-basis:100%;max-width:none}
.who{margin-left:auto;max-width:14.5rem}
.sections{padding:0 1rem}.sections ul{flex-wrap:wrap;gap:0 1rem}.sections a{padding:.25rem 0 .375rem}
main{padding:1.25rem 1rem 4rem}
.panel{padding:1rem!important}
.lg{display:none!important}.sm{display:block}
.nowrap,td.n,th.n,td .tag{white-space:normal}
thead th{white-space:normal}td,th{padding-right:.625rem;vertical-align:top}tbody th:not(.solid){overflow-wrap:anywhere}
:is(td,th):not(:has(~:not(.lg))){padding-right:0}
.filters.wide>button{margin-top:0}.need li{grid-template-columns:1fr}
.facts{grid-template-columns:1fr;gap:0}.facts dd{margin-bottom:.5rem}
.facts .sum+dd{font-weight:600}
.rules li{grid-template-columns:minmax(0,1fr);gap:.125rem}
.steps>li{grid-template-columns:1fr}.steps>li::before{margin-bottom:.25rem}
}
[data-offline] body::before{content:"The service does not answer. These figures may be old.";display:block;padding:.5rem 1.25rem;background:var(--warn-bg);color:var(--warn);text-align:center}
@media print{
:root{--bg:#fff;--panel:#fff;--sunk:#fff;--ink:#000;--dim:#333;--line:#bbb;--ok:#0a5b3b;--warn:#6b3d00;--bad:#8f1b19;--ok-bg:#fff;--warn-bg:#fff;--bad-bg:#fff}
.tag{border:1px solid #999}.top{padding:0 0 1rem}
.top form,.sections,.tabs,.head>a,.skip,.onscreen,.acts,button,.copy,details:not([open]){display:none!important}
.panel,.card{break-inside:avoid;border-color:#bbb}
main{padding:0;max-width:none;display:block}main>*{margin-bottom:1rem}
a{color:inherit;text-decoration:none}
.printed{display:block;color:var(--dim)}
.bar,.swatch{print-color-adjust:exact}
.s1{fill:#333;background:#333}.s2{fill:#777;background:#777}.s3{fill:#aaa;background:#aaa}.s4{fill:#ddd;background:#ddd}
}
`;
