/// The style and the script of a page, and the content security policy that allows only these two.
///
/// The policy names them by their SHA-256 (CSP level 2), so that even unescaped markup could neither run nor load
/// anything. A test checks the hashes against the literals below. The literals contain no `<` and no `&`, so that the
/// page stays well-formed XML.
enum HTMLPolicy {
    static let text =
        "default-src 'none'; style-src '\(styleHash)'; script-src '\(scriptHash)'; base-uri 'none'; form-action 'none'"

    static let styleHash = "sha256-2b4D21X6Cjv6NsgBXH7IL5miuhqldh85j80LrPD5sD4="
    static let scriptHash = "sha256-JgQvZL2v9T3YP/l0Gt8VUZG+1DA99g2bT/XZJXdGHGY="

    static let style: StaticString = """
        :root{--paper:#fff;--card:#f6f7f9;--ink:#1b2027;--soft:#525b66;--rule:#d5d9df;--link:#0b5cad;--mark:#b3261e;\
        --s1:#0d69b5;--s2:#de690b;--s3:#0c7554;--s4:#913281;--s5:#795a00;--s6:#3f3d8f;--s7:#a3123f;--s8:#767d87;--past:#a5c6e4}
        @media (prefers-color-scheme:dark){:root{--paper:#14171c;--card:#1d2229;--ink:#e8eaed;--soft:#aab2bd;--rule:#3a424d;\
        --link:#8cc1f7;--mark:#ff9b8f;--s1:#6abbfe;--s2:#e78235;--s3:#48cf9f;--s4:#c177c9;--s5:#e6da6a;--s6:#a9a6f5;--s7:#f5708f;\
        --s8:#8d95a1;--past:#35608a}}
        *{box-sizing:border-box}
        body{margin:0 auto;max-width:76rem;padding:2rem 1.5rem 3rem;background:var(--paper);color:var(--ink);\
        font:1rem/1.5 system-ui,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans","Liberation Sans",Arial,sans-serif}
        h1{font-size:2rem;line-height:1.2;margin:0}h2{font-size:1.4rem;margin:2.2rem 0 .6rem}h3{font-size:1.1rem;margin:1.8rem 0 .5rem}
        section.report h2{font-size:1.6rem;border-top:3px solid var(--ink);padding-top:1.2rem;margin-top:3rem}
        p{margin:.4rem 0}a{color:var(--link)}
        .skip{position:absolute;left:-99rem}.skip:focus{position:static}
        .period{font-size:1.1rem;color:var(--soft)}
        .facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:.6rem;margin:.6rem 0}
        .notes+section h2,.notes+section h3{margin-top:1.2rem}
        .facts div{background:var(--card);border-left:3px solid var(--s1);padding:.5rem .8rem}
        .facts dt{color:var(--soft);font-size:.85rem}
        .facts dd{margin:0;font-size:1.25rem;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
        .line{display:flex;gap:1rem;font-size:.85rem;margin:.5rem 0}.compact{display:flex;flex-wrap:wrap;gap:.1rem 1.2rem;margin:0}
        .compact div{display:flex;gap:.4rem}.compact dt{color:var(--soft)}.compact dd{margin:0;overflow-wrap:anywhere}
        nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;list-style:none;margin:1rem 0;padding:.7rem 0;\
        border:solid var(--rule);border-width:1px 0}
        nav .report{flex-basis:100%;font-weight:600}
        .scroll{overflow-x:auto;margin:.4rem 0 1rem}
        table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
        caption{text-align:left;color:var(--soft);font-size:.85rem;padding:0 0 .3rem;white-space:nowrap}
        th,td{padding:.3rem .65rem;border-bottom:1px solid var(--rule);vertical-align:top}
        td{text-align:right;white-space:nowrap}th{text-align:left;font-weight:400}tbody th{white-space:nowrap}.n{text-align:right}
        td.t{text-align:left;white-space:normal}td.t{padding-left:1.1rem}td.one,td.id{white-space:nowrap}.long,tbody th.long{overflow-wrap:anywhere;white-space:normal;min-width:22rem}
        thead th{font-weight:600;border-bottom:2px solid var(--ink);vertical-align:bottom}
        thead button{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer;text-align:inherit}
        thead th{position:relative}thead button::after{content:"\\2195";position:absolute;right:-.05rem;color:var(--soft);opacity:.6}
        [aria-sort=ascending] button::after{content:"\\2191";opacity:1}[aria-sort=descending] button::after{content:"\\2193";opacity:1}
        tbody tr:hover{background:var(--card)}
        .none{color:var(--soft)}summary{cursor:pointer;color:var(--link)}
        figure{margin:1rem 0 1.4rem;max-width:60rem}figcaption{font-weight:600;margin-bottom:.3rem}
        svg.chart{display:block;width:100%;font-size:12px;fill:var(--ink)}svg.fields{min-width:34rem;height:auto}
        .draw{overflow-x:auto;overflow-y:hidden}.defs{position:absolute}
        .grid{stroke:var(--rule);stroke-width:1}.axis{stroke:var(--ink);stroke-width:1}
        .soft{fill:var(--soft)}.start{text-anchor:start}.end{text-anchor:end}.mid{text-anchor:middle}.spike{fill:var(--mark);font-weight:700}
        .s1{fill:var(--s1)}.s2{fill:var(--s2)}.s3{fill:var(--s3)}.s4{fill:var(--s4)}.s5{fill:var(--s5)}.s6{fill:var(--s6)}\
        .s7{fill:var(--s7)}.s8{fill:var(--s8)}
        .l1{stroke:var(--s1)}.l2{stroke:var(--s2)}.l3{stroke:var(--s3)}.l4{stroke:var(--s4)}.l5{stroke:var(--s5)}\
        .l6{stroke:var(--s6)}.l7{stroke:var(--s7)}.l8{stroke:var(--s8)}
        .line{fill:none;stroke-width:2.2}.hatch{display:none;fill:none;stroke:var(--paper);stroke-width:1.3}
        .part{stroke:var(--paper);stroke-width:1}rect.past{fill:var(--past)}rect.open{fill:var(--past);stroke:var(--s1);stroke-dasharray:3 2}.x{display:none;font-size:11px}rect.now{fill:var(--s1);fill-opacity:.75}
        wbr{display:none}.bars wbr,.panel wbr,.long wbr{display:inline}
        .field{stroke:var(--rule);stroke-width:1}.strong{font-weight:700}.small{font-size:11px}
        .bars{display:grid;grid-template-columns:fit-content(22rem) 1fr max-content;gap:.2rem .7rem;align-items:center;font-size:.85rem;line-height:1.3}
        .bars div{display:contents}.bars span{text-align:right;font-variant-numeric:tabular-nums}.bars bdi{overflow-wrap:anywhere}
        .bars svg{display:block;overflow:visible}.bars line{stroke-width:1}.cut{fill:var(--paper)}
        line.s1{stroke:var(--s1)}line.s2{stroke:var(--s2)}line.s3{stroke:var(--s3)}line.s8{stroke:var(--s8)}
        .panels{display:grid;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr));gap:1rem 1.4rem;font-size:.85rem;line-height:1.3}
        .panel{display:flex;flex-direction:column;break-inside:avoid;min-width:0}.panel bdi{font-weight:600;overflow-wrap:anywhere}
        .panel span{color:var(--soft)}.panel strong{color:var(--ink);font-variant-numeric:tabular-nums}.panel svg{margin-top:auto}
        .note{font-size:.85rem;color:var(--soft)}.bars,.panels{margin:.3rem 0 .7rem}
        .legend{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem 1.2rem;margin:.3rem 0;padding:0;font-size:.85rem}
        .phone{display:none}.legend li{display:flex;align-items:center;gap:.4rem;overflow-wrap:anywhere}.legend svg{flex:none}
        .marks{margin:.3rem 0;padding-left:1.6rem;font-size:.85rem}.marks li::marker{color:var(--mark);font-weight:700}
        figure details{font-size:.85rem}
        .answer{margin:.9rem 0}.answer p{font-size:1.1rem;margin:.15rem 0;overflow-wrap:anywhere}.answer p.detail{font-size:1rem;margin-left:1.2rem}
        .key{margin:1.2rem 0 .8rem}.key .label{font-size:1rem;color:var(--soft)}.key .amount{font-size:2.6rem;line-height:1.15;font-weight:700;\
        font-variant-numeric:tabular-nums;display:flex;flex-wrap:wrap;gap:.3rem 1.4rem;align-items:center}
        .remark{display:inline-block;margin-right:1.4rem;color:var(--soft)}dd .remark{display:block;font-size:.85rem;margin:0}
        .up{color:var(--s3)}.down{color:var(--mark)}
        .alarm{border-left:5px solid var(--mark);padding:.5rem 0 .5rem 1rem;background:var(--card)}.alarm p:first-child{color:var(--mark);font-weight:700}
        .warning p:first-child{color:var(--mark)}code{font:.9em ui-monospace,"DejaVu Sans Mono",monospace;color:var(--soft);margin-left:.6rem}
        .notes ul{margin:1rem 0;padding:.7rem 1rem .7rem 2rem;background:var(--card);font-size:.9rem}
        footer{margin-top:3rem;padding-top:.6rem;border-top:1px solid var(--rule);color:var(--soft);font-size:.85rem}
        @media screen and (min-width:64rem){.x{display:inline}}
        @media screen and (max-width:40rem){body{padding:1rem .8rem 2rem}h1{font-size:1.6rem}.facts{grid-template-columns:repeat(auto-fill,minmax(8rem,1fr))}
        .w{display:none}wbr{display:inline}.phone{display:flex}.bars{grid-template-columns:1fr max-content}.bars bdi{grid-column:1/-1;margin-top:.3rem}
        .panels{grid-template-columns:repeat(auto-fill,minmax(9rem,1fr))}
        .id{min-width:6.5rem}table{font-size:.72rem}th,td{padding:.25rem .25rem}thead th,tbody th.id,td.id{white-space:normal}thead button::after{display:none}
        .scroll tbody th:first-child{position:sticky;left:0;background:var(--paper)}.long,tbody th.long{min-width:9rem}}
        @page{margin:15mm 13mm;@bottom-right{content:counter(page) " / " counter(pages);font:8pt sans-serif;color:#525b66}}
        @media print{
        :root{--paper:#fff;--card:#f4f5f7;--ink:#000;--soft:#444;--rule:#bbb;--link:#000;--mark:#8c1d18;--s1:#0d69b5;--s2:#de690b;\
        --s3:#0c7554;--s4:#913281;--s5:#795a00;--s6:#3f3d8f;--s7:#a3123f;--s8:#767d87;--past:#a5c6e4;color-scheme:light}
        body{max-width:none;padding:0;font-size:10pt;print-color-adjust:exact;-webkit-print-color-adjust:exact}
        nav,.skip,details,thead button::after{display:none}h3:has(+details){display:none}
        h1{font-size:20pt}h2,section.report h2{font-size:15pt}h3{font-size:12pt}
        h1,h2,h3,h4,figcaption,caption{break-after:avoid}
        section.report:not(:first-child){break-before:page}section.report h2{margin-top:0;border-top:0;padding-top:0}
        .hatch{display:inline}.scroll,.draw{overflow:visible}svg.fields{min-width:0;max-height:68mm;width:auto;max-width:100%}.panels{grid-template-columns:repeat(4,1fr)}figure{break-inside:avoid;max-width:none;margin:3mm 0 5mm}.panelled{break-inside:auto}
        .facts{grid-template-columns:repeat(4,1fr);gap:2mm}.facts dd{font-size:11pt}.facts dt,.line{font-size:8pt}
        .legend,.marks,.note,.bars,.panels,figure,caption{font-size:8.5pt}.notes ul{font-size:8.5pt;margin:2mm 0;padding-top:1.5mm;padding-bottom:1.5mm}
        table{font-size:7.6pt;width:100%}thead{display:table-header-group}tr,.facts div,.notes{break-inside:avoid}
        th,td{padding:1.2mm 1.2mm}thead th{white-space:normal;overflow-wrap:normal}td.t,.long,tbody th.long{white-space:normal;overflow-wrap:anywhere;min-width:14mm}td.id{white-space:nowrap;min-width:0}
        tbody tr:hover{background:none}
        }

        """

    static let script: StaticString = """
        "use strict";
        (function () {
          function key(cell) {
            var text = cell.textContent;
            var number = text.replace(/,/g, "").replace(/ %$/, "");
            if (text === "\\u2013") { return { rank: 2, value: "" }; }
            return /^-?[0-9.]+$/.test(number) ? { rank: 0, value: Number(number) } : { rank: 1, value: text };
          }
          function compare(left, right) {
            if (left.rank !== right.rank) { return left.rank - right.rank; }
            return left.rank === 0 ? left.value - right.value : left.value.localeCompare(right.value);
          }
          function sort(table, column, heading) {
            var body = table.tBodies[0];
            var down = heading.getAttribute("aria-sort") === "ascending";
            var rows = Array.from(body.rows).map(function (row) { return { row: row, key: key(row.cells[column]) }; });
            rows.sort(function (left, right) {
              var order = compare(left.key, right.key);
              return left.key.rank === 2 || right.key.rank === 2 ? order : down ? -order : order;
            });
            table.querySelectorAll("thead th").forEach(function (other) { other.removeAttribute("aria-sort"); });
            heading.setAttribute("aria-sort", down ? "descending" : "ascending");
            rows.forEach(function (entry) { body.appendChild(entry.row); });
          }
          document.querySelectorAll("table").forEach(function (table) {
            table.querySelectorAll("thead th").forEach(function (heading, column) {
              var button = document.createElement("button");
              button.type = "button";
              button.textContent = heading.textContent;
              button.addEventListener("click", function () { sort(table, column, heading); });
              heading.textContent = "";
              heading.appendChild(button);
            });
          });
        }());

        """
}
