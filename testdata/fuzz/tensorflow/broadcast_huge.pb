
C
xPlaceholder*
dtype0*$
shape:ÿÿÿÿÿÿÿÿÿ
6
nConst*
valueB:ÿÿÿÿ*
dtype0

yBroadcastToxn