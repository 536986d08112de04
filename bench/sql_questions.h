// What the engines are asked for the speed table, with and without privacy.
#pragma once

namespace discreet::bench {

inline constexpr const char* kMany = "SELECT g, COUNT(*), SUM(x), AVG(x) FROM {} GROUP BY g";
inline const char* const kQueries[] = {
    "SELECT l_returnflag, l_linestatus, SUM(l_quantity), SUM(l_extendedprice), SUM(l_extendedprice "
    "* (1 - l_discount)), SUM(l_extendedprice * (1 - l_discount) * (1 + l_tax)), AVG(l_quantity), "
    "AVG(l_extendedprice), "
    "AVG(l_discount), COUNT(*) FROM lineitem WHERE l_shipdate <= DATE '1998-12-01' - INTERVAL 90 "
    "DAY GROUP BY l_returnflag, l_linestatus",
    "SELECT SUM(l_extendedprice * l_discount) FROM lineitem WHERE l_shipdate >= DATE '1994-01-01' "
    "AND l_shipdate < DATE '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24",
    "SELECT n_name, SUM(l_extendedprice * (1 - l_discount)) FROM customer, orders, lineitem, "
    "supplier, nation WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = "
    "s_suppkey AND c_nationkey = s_nationkey AND "
    "s_nationkey = n_nationkey AND n_regionkey = 2 AND o_orderdate >= DATE '1994-01-01' AND "
    "o_orderdate < DATE '1995-01-01' GROUP BY n_name",
    "SELECT 100 * SUM(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount) ELSE "
    "0 END) / SUM(l_extendedprice * (1 - l_discount)) FROM lineitem, part WHERE l_partkey = "
    "p_partkey AND l_shipdate >= DATE '1995-09-01' "
    "AND l_shipdate < DATE '1995-10-01'",
    "SELECT SUM(l_extendedprice * (1 - l_discount)) FROM lineitem, part WHERE p_partkey = "
    "l_partkey AND l_shipmode IN ('AIR', 'AIR REG') AND ((p_brand = 'Brand#12' AND l_quantity "
    "BETWEEN 1 AND 11 AND p_size BETWEEN 1 AND 5) OR "
    "(p_brand = 'Brand#23' AND l_quantity BETWEEN 10 AND 20 AND p_size BETWEEN 1 AND 10) OR "
    "(p_brand = 'Brand#3' AND l_quantity BETWEEN 20 AND 30 AND p_size BETWEEN 1 AND 15))",
};

}  // namespace discreet::bench
